import type { FileRef } from "../../model/messages.ts";
import type { ConversationTurn } from "./conversation.ts";

/** Returns the first file with this hash that one of the turns names. */
export function findFileRef(
  turns: Iterable<Pick<ConversationTurn, "files" | "images">>,
  hash: string,
): FileRef | undefined {
  for (const { files = [], images = [] } of turns) {
    const found = [...files, ...images].find((part) => (part.type === "image" ? part.image : part.file).hash === hash);
    if (found) return found;
  }
  return undefined;
}
