import { takeStart } from "../../kit/text/truncate.ts";

/** Limits the name of a tool, in characters. A longer one is no name. */
const longestName = 200;

/** Holds an action as it was written: what stands behind `Action:`, and behind `Action Input:` where that was written. */
export interface ActionText {
  head: string;
  input: string | undefined;
}

export interface TextAction {
  /** Is empty when the model named no tool. */
  name: string;
  /** Holds the arguments as the model wrote them, and is undefined when it wrote none. */
  argumentsText: string | undefined;
}

/** Reads an action. Code fences and what follows its JSON are no part of the arguments; nothing else is changed of them. */
export function toAction({ head, input }: ActionText): TextAction {
  const [first = "", ...more] = head.trim().split("\n");
  const label = /Action Input *[:：]/i.exec(first);
  const name = label === null ? first : first.slice(0, label.index);
  const sameLine = label === null ? [] : [first.slice(label.index + label[0].length)];
  const written = input ?? ([...sameLine, ...more].join("\n").trim() || undefined);
  return {
    name: takeStart(name.trim(), longestName).replace(/^[`'"*[「“]+|[`'"*\]」”]+$/g, ""),
    argumentsText: written === undefined ? undefined : toArgumentsText(written),
  };
}

function toArgumentsText(written: string): string {
  const text = removeFences(written.trim());
  const end = findObjectEnd(text);
  return end === undefined ? text : text.slice(0, end);
}

/** Removes the backticks around a text, with the word that names its language. */
function removeFences(text: string): string {
  let end = text.length;
  while (text[end - 1] === "`") end--;
  return text
    .slice(0, end)
    .trimEnd()
    .replace(/^`+(?:json\b)?\s*/i, "");
}

/** Returns the position behind the object with which the text begins, or undefined when there is none or it does not end. */
function findObjectEnd(text: string): number | undefined {
  if (!text.startsWith("{")) return undefined;
  let depth = 0;
  for (const { 0: token, index } of text.matchAll(/"[^"\\]*(?:\\[\s\S][^"\\]*)*"|[{}]|"/g)) {
    // A string that does not end.
    if (token === '"') return undefined;
    if (token === "{") depth++;
    if (token === "}" && --depth === 0) return index + 1;
  }
  return undefined;
}
