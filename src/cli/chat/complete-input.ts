import type { Complete } from "../terminal/editor/editor.ts";
import { createCompleteFiles } from "../terminal/editor/files/complete-files.ts";
import type { Folders } from "../terminal/editor/files/resolve-path.ts";
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
