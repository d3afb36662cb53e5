/** An entry as a line of the file, its end included. */
export function toHistoryLine(text: string): string {
  return `${JSON.stringify({ text })}\n`;
}

/** What a history file says. */
export interface HistoryLines {
  readonly entries: string[];
  /** Lines that are none of ours, and were left out. */
  readonly damaged: number;
}

/** Reads the lines of a history file; none of them is parsed that could not be. */
export function readHistoryLines(text: string): HistoryLines {
  const entries: string[] = [];
  let damaged = 0;
  for (const line of text.split("\n")) {
    const entry = entryOf(line);
    if (entry !== undefined) entries.push(entry);
    else if (line !== "") damaged++;
  }
  return { entries: entries.filter((entry) => entry.trim() !== ""), damaged };
}

function entryOf(line: string): string | undefined {
  if (!line.startsWith(opening) || line.length > longestLine || !whole.test(line)) return undefined;
  const text: unknown = JSON.parse(line.slice(opening.length - 1, -1));
  return String(text);
}

const opening = '{"text":"';
/** A text of JSON as `lineOf` writes it (https://www.rfc-editor.org/rfc/rfc8259#section-7). */
const whole = /^\{"text":"[^"\\\0-\x1f]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\0-\x1f]*)*"\}$/;
/** UTF-16 units: six for each unit of an entry at most. */
const longestLine = 400_000;
