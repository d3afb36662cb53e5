/** What one of our addresses names. */
export interface NamedResource {
  kind: "run" | "conversation";
  id: string;
}

/** Characters of an id; `agent_ask` takes no longer ones. */
const longestId = 200;

export const runTemplate = "duet://runs/{run_id}";
export const conversationTemplate = "duet://conversations/{conversation_id}";

export function toRunUri(id: string): string {
  return `duet://runs/${encodeURIComponent(id.toWellFormed())}`;
}

export function toConversationUri(id: string): string {
  return `duet://conversations/${encodeURIComponent(id.toWellFormed())}`;
}

/** What an address that came from outside names; undefined when it is none of ours. It is decoded once and no further. */
export function readUri(uri: string): NamedResource | undefined {
  const [, place, encoded = ""] = /^duet:\/\/(runs|conversations)\/([^/?#]+)$/.exec(uri) ?? [];
  const id = decode(encoded);
  if (id === undefined || id.length === 0 || id.length > longestId || !id.isWellFormed()) return undefined;
  return { kind: place === "runs" ? "run" : "conversation", id };
}

/** Undefined where a `%` begins nothing that could be decoded. */
function decode(encoded: string): string | undefined {
  // Decoding makes text shorter, at most ninefold: a character of three bytes, each written as `%XX`.
  if (encoded.length > 9 * longestId) return undefined;
  try {
    return decodeURIComponent(encoded);
  } catch {
    return undefined;
  }
}
