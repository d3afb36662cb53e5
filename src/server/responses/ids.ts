/** Counts the hexadecimal digits of a run's ID. */
const runDigits = 32;

/** Counts the digits that say which one of its run's responses a response is, and which one of its items an item. */
const countDigits = 4;

/** Is what `countDigits` was when the first responses were stored. */
const earlierDigits = 2;

/** Says what the IDs of items begin with, as OpenAI's do. */
export const itemPrefixes = {
  message: "msg",
  reasoning: "rs",
  call: "fc",
  customCall: "ctc",
  search: "ws",
  input: "in",
} as const;

/**
 * Returns the ID of a response. A run that waits for its client's tools gives several responses; `roundIndex` counts those before this one.
 */
export function toResponseId(runId: string, roundIndex: number): string {
  return `resp_${runId.replace(/^run-/, "")}${toDigits(roundIndex)}`;
}

/** Returns which run a response is of, and undefined for an ID that is none of ours. */
export function readResponseId(id: string): { runId: string; roundIndex: number } | undefined {
  const found = new RegExp(`^resp_([0-9a-f]{${runDigits}})([0-9a-f]{${countDigits}}|[0-9a-f]{${earlierDigits}})$`).exec(
    id,
  );
  if (found === null) return undefined;
  const [, run = "", digits = ""] = found;
  return { runId: `run-${run}`, roundIndex: Number.parseInt(digits, 16) };
}

/** Returns the ID of the item at `index` of a response's output, or of its input. */
export function toItemId(prefix: string, responseId: string, index: number): string {
  return `${prefix}_${responseId.slice("resp_".length)}${toDigits(index)}`;
}

/** Returns the response that an item stands in, and undefined for an ID that is none of ours. */
export function findResponseOfItem(itemId: string): string | undefined {
  const [, digits = ""] = /^[a-z]+_([0-9a-f]+)$/.exec(itemId) ?? [];
  // The count of items had two digits or more.
  const isWhole = digits.length === runDigits + 2 * countDigits;
  const width = isWhole ? countDigits : earlierDigits;
  return digits.length < runDigits + 2 * earlierDigits ? undefined : `resp_${digits.slice(0, runDigits + width)}`;
}

function toDigits(count: number): string {
  return count.toString(16).padStart(countDigits, "0");
}
