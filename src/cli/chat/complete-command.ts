import { say } from "../../kit/locale.ts";
import type { Complete, Completion } from "../terminal/editor/editor.ts";
import type { Chat } from "./chat-state.ts";
import { chatCommands } from "./command-list.ts";
import { findCommand } from "./find-command.ts";

type Found = Awaited<ReturnType<Complete>>;

/** Completes a command's name at the start of the text, and behind it what the command can be given. */
export function createCompleteCommand(chat: Chat): Complete {
  return async (textBefore) => {
    if (!textBefore.startsWith("/") || textBefore.includes("\n")) return undefined;
    const [, name = "", space = "", argument = ""] = /^(\S*)(\s*)(.*)$/.exec(textBefore) ?? [];
    if (space === "") return found(0, name, namesFor(chat));
    const completions = await completionsOf(chat, name, argument).catch(() => []);
    return found(textBefore.length - argument.length, argument, completions);
  };
}

function namesFor({ settings: { locale } }: Chat): Completion[] {
  return chatCommands.map(({ name, help }) => ({ text: name, help: say(locale, help) }));
}

async function completionsOf(chat: Chat, name: string, argument: string): Promise<readonly Completion[]> {
  return (await findCommand(name, chatCommands)?.complete?.(chat, argument)) ?? [];
}

/** What begins as was typed stands before what holds it. Of what is typed in full already there is nothing to complete. */
function found(from: number, typed: string, completions: readonly Completion[]): Found {
  const wanted = typed.toLowerCase();
  if (completions.some(({ text }) => text.toLowerCase() === wanted)) return undefined;
  const holding = completions.filter(({ text }) => text.toLowerCase().includes(wanted));
  const begins = ({ text }: Completion): boolean => text.toLowerCase().startsWith(wanted);
  const ordered = [...holding.filter(begins), ...holding.filter((completion) => !begins(completion))];
  return ordered.length === 0 ? undefined : { from, completions: ordered };
}
