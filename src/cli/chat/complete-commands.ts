import { say } from "../../kit/locale.ts";
import type { Complete, Completion } from "../terminal/editor/editor.ts";
import { createCompleteFiles, type Folders } from "../terminal/editor/files/complete-files.ts";
import type { Chat } from "./chat.ts";
import { chatCommands } from "./command-list.ts";
import { findCommand } from "./commands/chat-command.ts";

/** Completes commands at the beginning of the text, and files after `@`. */
export function createComplete(chat: () => Chat, folders: Folders): Complete {
  const completeFiles = createCompleteFiles(folders);
  return async (textBefore) => {
    const command = textBefore.startsWith("/") ? await createCompleteCommand(chat())(textBefore) : undefined;
    return command ?? completeFiles(textBefore);
  };
}

type Completions = Awaited<ReturnType<Complete>>;

/** Completes a command's name at the start of the text, and behind it what the command can be given. */
export function createCompleteCommand(chat: Chat): Complete {
  return async (textBefore) => {
    if (!textBefore.startsWith("/") || textBefore.includes("\n")) return undefined;
    const [, name = "", space = "", argument = ""] = /^(\S*)(\s*)(.*)$/.exec(textBefore) ?? [];
    if (space === "") return sortCompletions(0, name, listCommandNames(chat));
    const completions = await completeArgument(chat, name, argument).catch(() => []);
    return sortCompletions(textBefore.length - argument.length, argument, completions);
  };
}

function listCommandNames({ settings: { locale }, ownCommands }: Chat): Completion[] {
  return [...chatCommands, ...ownCommands.known].map(({ name, help }) => ({ text: name, help: say(locale, help) }));
}

async function completeArgument(chat: Chat, name: string, argument: string): Promise<readonly Completion[]> {
  return (await findCommand(name, chatCommands)?.complete?.(chat, argument)) ?? [];
}

/** Puts completions that begin with the typed text before those that contain it. A text that is already complete gets none. */
function sortCompletions(from: number, typed: string, completions: readonly Completion[]): Completions {
  const wanted = typed.toLowerCase();
  if (completions.some(({ text }) => text.toLowerCase() === wanted)) return undefined;
  const holding = completions.filter(({ text }) => text.toLowerCase().includes(wanted));
  const isBeginning = ({ text }: Completion): boolean => text.toLowerCase().startsWith(wanted);
  const ordered = [...holding.filter(isBeginning), ...holding.filter((completion) => !isBeginning(completion))];
  return ordered.length === 0 ? undefined : { from, completions: ordered };
}
