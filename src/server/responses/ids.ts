/** Counts the hexadecimal digits of a run's ID. */
const runDigits = 32;

/** Counts the digits that say which one of its run's responses a response is. */
const partDigits = 2;

/** Says what the IDs of items begin with, as OpenAI's do. */
export const itemPrefixes = { message: "msg", reasoning: "rs", call: "fc", customCall: "ctc", input: "in" } as const;

/**
 * Returns the ID of a response. A run that waits for its client's tools gives several responses; `part` counts those before this one.
 */
export function toResponseId(runId: string, part: number): string {
  return `resp_${runId.replace(/^run-/, "")}${toDigits(part)}`;
}

/** Returns which run a response is of, and undefined for an ID that is none of ours. */
export function readResponseId(id: string): { runId: string; part: number } | undefined {
  const digits = new RegExp(`^resp_([0-9a-f]{${runDigits}})([0-9a-f]{${partDigits}})$`).exec(id);
  if (digits === null) return undefined;
  const [, run = "", part = ""] = digits;
  return { runId: `run-${run}`, part: Number.parseInt(part, 16) };
}

/** Returns the ID of the item at `index` of a response's output, or of its input. */
export function toItemId(prefix: string, responseId: string, index: number): string {
  return `${prefix}_${responseId.slice("resp_".length)}${toDigits(index)}`;
}

/** Returns the response that an item stands in, and undefined for an ID that is none of ours. */
export function findResponseOfItem(itemId: string): string | undefined {
  const digits = new RegExp(`^[a-z]+_([0-9a-f]{${runDigits + partDigits}})[0-9a-f]{2,}$`).exec(itemId);
  return digits?.[1] && `resp_${digits[1]}`;
}

function toDigits(count: number): string {
  return count.toString(16).padStart(partDigits, "0");
}
