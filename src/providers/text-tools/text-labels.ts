/** Names what stands behind a label of the textual protocol. */
export type Label = "thought" | "action" | "input" | "observation" | "answer";

/** Ends the text of a turn where it begins a line: a result is ours to write, never the model's. */
export const stopText = "\nObservation:";

/** Maps labels as models write them, in lower case and without blanks, to their meaning. */
const labels: ReadonlyMap<string, Label> = new Map([
  ...toEntries("thought", "thought thoughts thinking 思考 想法"),
  ...toEntries("action", "action 行动 动作"),
  ...toEntries("input", "actioninput 行动输入 动作输入"),
  ...toEntries("observation", "observation observations 观察 观察结果 观测"),
  ...toEntries("answer", "finalanswer 最终答案 最终回答"),
]);

function toEntries(label: Label, names: string): [string, Label][] {
  return names.split(" ").map((name) => [name, label]);
}

const names = [...labels.keys()];

/** Limits the length of a label with its marks, so that a long line is not held back. */
const longestLabel = 40;

/** Is what the beginning of a line says: a label with the text behind it, no label, or nothing yet. */
export type LineStart =
  | { start: "label"; label: Label; name: string; mark: string; rest: string }
  | { start: "text" }
  | { start: "open" };

/**
 * Reads the beginning of a line. It is `open` while more text could make a label of it, and what it says then stays the same
 * whatever follows, so that the pieces in which a text arrives make no difference.
 */
export function readLineStart(line: string): LineStart {
  const colon = line.search(/[:：]/);
  const head = colon < 0 ? line : line.slice(0, colon);
  const name = toName(head);
  if (head.length > longestLabel || !names.some((known) => known.startsWith(name))) return { start: "text" };
  if (colon < 0) return { start: "open" };
  const label = labels.get(name);
  if (label === undefined) return { start: "text" };
  return { start: "label", label, name, mark: findOpenMark(head), rest: line.slice(colon + 1) };
}

/** Removes what models put around and into labels: headings, bold type, numbers ("Action 2"). */
function toName(head: string): string {
  return head.replace(/[\s#*_`\d]/g, "").toLowerCase();
}

/** Returns the mark of bold type that was opened before the label and not closed behind it, as in `**Thought:** …`. */
function findOpenMark(head: string): string {
  const [, mark = "", rest = ""] = /^[\s#]*([*_`]+)(.*)$/s.exec(head) ?? [];
  return rest.includes(mark) ? "" : mark;
}
