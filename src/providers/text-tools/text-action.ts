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
  const [, before = head, sameLine] = /^([^\n]*?)\s*Action Input\s*[:：]([\s\S]*)$/i.exec(head.trim()) ?? [];
  const [name = "", ...more] = before.trim().split("\n");
  const written = input ?? sameLine ?? (more.join("\n").trim() || undefined);
  return {
    name: name.trim().replace(/^[`'"*[「“]+|[`'"*\]」”]+$/g, ""),
    argumentsText: written === undefined ? undefined : toArgumentsText(written),
  };
}

function toArgumentsText(written: string): string {
  const text = written
    .trim()
    .replace(/^`+(?:json\b)?\s*/i, "")
    .replace(/\s*`+$/, "");
  const end = findObjectEnd(text);
  return end === undefined ? text : text.slice(0, end);
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
