/** Represents a message as the texts that stay and the numbers and IDs between them, which change each time. */
export interface Shape {
  /** Is equal for messages that differ only in their values. */
  key: string;
  literals: readonly string[];
  marks: readonly Mark[];
  values: readonly string[];
}

type Mark = "n" | "id";

/** Remembers which values the messages of one shape had. */
export interface Variation {
  literals: readonly string[];
  slots: readonly Slot[];
  add(values: readonly string[]): void;
}

interface Slot {
  mark: Mark;
  /** Holds the first different values, one more than are shown. */
  examples: Set<string>;
  /** Is undefined when a value was no plain number. */
  range: { least: string; most: string } | undefined;
}

const mostExamples = 3;

const changing =
  /\b([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|0x[0-9a-f]+|(?=[a-f]*\d)(?!\d{8,64}\b)[0-9a-f]{8,64})\b|(\d+(?:[.:,]\d+)*)/gi;

const longestMessage = 200;

/** Takes what changes each time (IDs, addresses, numbers) out of a message, so that its occurrences are counted together. */
export function readShape(message: string): Shape {
  const text = copyText(message.slice(0, longestMessage));
  const literals: string[] = [];
  const marks: Mark[] = [];
  const values: string[] = [];
  let end = 0;
  for (const match of text.matchAll(changing)) {
    literals.push(text.slice(end, match.index));
    marks.push(match[1] === undefined ? "n" : "id");
    values.push(match[0]);
    end = match.index + match[0].length;
  }
  literals.push(text.slice(end));
  const key = literals.map((literal, index) => `${literal}\0${marks[index] ?? ""}`).join("");
  return { key, literals, marks, values };
}

export function createVariation({ literals, marks }: Shape): Variation {
  const slots = marks.map((mark): Slot => ({ mark, examples: new Set(), range: undefined }));
  return {
    literals,
    slots,
    add(values) {
      for (const [index, slot] of slots.entries()) addValue(slot, values[index] ?? "");
    },
  };
}

const plainNumber = /^\d{1,15}(?:\.\d{1,9})?$/;

function addValue(slot: Slot, value: string): void {
  const { examples, range } = slot;
  const isFirst = examples.size === 0;
  if (examples.size <= mostExamples) examples.add(value);
  if (!plainNumber.test(value) || (!isFirst && range === undefined)) {
    slot.range = undefined;
    return;
  }
  const least = range === undefined || Number(value) < Number(range.least) ? value : range.least;
  const most = range === undefined || Number(value) > Number(range.most) ? value : range.most;
  slot.range = { least, most };
}

/** Writes a value that all messages share, and a mark such as `<n>` where they differ, explained at the end by its values. */
export function showShape({ literals, slots }: Variation): string {
  const differing = slots.filter(({ examples }) => examples.size > 1);
  const explained: string[] = [];
  const text = literals.map((literal, index) => {
    const slot = slots[index];
    if (slot === undefined) return literal;
    const [only = ""] = slot.examples;
    if (slot.examples.size < 2) return literal + only;
    const number = differing.length > 1 ? differing.indexOf(slot) + 1 : "";
    const mark = `<${slot.mark}${number}>`;
    explained.push(`${mark} = ${showValues(slot)}`);
    return literal + mark;
  });
  return explained.length === 0 ? text.join("") : `${text.join("")} (${explained.slice(0, mostExplained).join("; ")})`;
}

const mostExplained = 4;

function showValues({ examples, range }: Slot): string {
  if (examples.size <= mostExamples) return [...examples].join(", ");
  return range === undefined
    ? `${[...examples].slice(0, mostExamples).join(", ")}, …`
    : `${range.least}..${range.most}`;
}

/** Copies the text, because a slice would keep the whole chunk of the file in memory. */
export function copyText(text: string): string {
  return Buffer.from(text, "utf16le").toString("utf16le");
}
