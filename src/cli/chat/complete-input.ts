import { createCompleteFiles } from "../editor/complete-files.ts";
import type { Complete } from "../editor/editor.ts";
import type { Folders } from "../editor/resolve-path.ts";
import type { Chat } from "./chat-state.ts";
import { createCompleteCommand } from "./complete-command.ts";

/** Completes commands at the beginning of the text, and files after `@`. */
export function createComplete(chat: () => Chat, folders: Folders): Complete {
  const completeFiles = createCompleteFiles(folders);
  return async (textBefore) => {
    const command = textBefore.startsWith("/") ? await createCompleteCommand(chat())(textBefore) : undefined;
    return command ?? completeFiles(textBefore);
  };
}
