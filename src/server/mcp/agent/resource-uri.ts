/** Says what one of our URIs refers to. */
export interface NamedResource {
  kind: "run" | "conversation";
  id: string;
}

/** Limits an id, in characters, as `agent_ask` does. */
const longestId = 200;

export const runTemplate = "duet://runs/{run_id}";
export const conversationTemplate = "duet://conversations/{conversation_id}";

export function toRunUri(id: string): string {
  return `duet://runs/${encodeURIComponent(id.toWellFormed())}`;
}

export function toConversationUri(id: string): string {
  return `duet://conversations/${encodeURIComponent(id.toWellFormed())}`;
}

/** Returns what a URI from outside refers to, or undefined when it is not ours. It is decoded exactly once. */
export function readUri(uri: string): NamedResource | undefined {
  const [, place, encoded = ""] = /^duet:\/\/(runs|conversations)\/([^/?#]+)$/.exec(uri) ?? [];
  const id = decode(encoded);
  if (id === undefined || id.length === 0 || id.length > longestId || !id.isWellFormed()) return undefined;
  return { kind: place === "runs" ? "run" : "conversation", id };
}

/** Returns undefined when a `%` begins no valid escape. */
function decode(encoded: string): string | undefined {
  // Decoding makes text shorter, at most ninefold: a character of three bytes, each written as `%XX`.
  if (encoded.length > 9 * longestId) return undefined;
  try {
    return decodeURIComponent(encoded);
  } catch {
    return undefined;
  }
}
