import { existsSync } from "node:fs";
import { findNearest } from "../../config/config-errors.ts";
import { toDuetError, toErrorReport } from "../../kit/errors.ts";
import { type Locale, say, type Text } from "../../kit/locale.ts";
import { toShortLine } from "../../kit/text/sanitize.ts";
import { renderError } from "../../render/event-lines.ts";
import type { Chat } from "./chat.ts";
import { chatCommands } from "./command-list.ts";
import { type ChatCommand, findCommand, listNames, renderUsageLine } from "./commands/chat-command.ts";

/**
 * Runs what was typed behind a `/` and returns "exit" when the chat is to end. Never rejects: what goes wrong is written as one
 * line, and the chat goes on.
 */
export async function runCommand(line: string, chat: Chat, signal: AbortSignal): Promise<"exit" | undefined> {
  const [, name = "", argument = ""] = /^(\S*)\s*([\s\S]*)$/.exec(line.trim()) ?? [];
  const command = findCommand(name, chatCommands);
  if (command === undefined) return runOwnCommand({ name, argument }, chat, signal);
  if (command.argument === "" && argument !== "") return writeText(chat, describeUnexpectedArgument(command, argument));
  try {
    return await command.run(chat, argument, signal);
  } catch (thrown) {
    chat.write(renderFailure(thrown, chat.settings.locale, signal));
    return undefined;
  }
}

/** Is true for a line with a command that need not wait for the end of a run. */
export function canRunAtOnce(line: string): boolean {
  const [, name = "", argument = ""] = /^(\S*)\s*([\s\S]*)$/.exec(line) ?? [];
  const command = findCommand(name, chatCommands);
  const { runsAtOnce = false } = command ?? {};
  const isMeant = typeof runsAtOnce === "boolean" ? runsAtOnce : runsAtOnce(argument);
  return isMeant && (command?.argument !== "" || argument === "");
}

/** Is true for a text that is meant as a command: a message may begin with the path of a file, such as `/etc/hosts`. */
export function isCommandText(text: string): boolean {
  const [name] = /^\/\S*/.exec(text.trim()) ?? [];
  if (name === undefined) return false;
  return findCommand(name, chatCommands) !== undefined || !(name.slice(1).includes("/") || isPath(name));
}

function isPath(name: string): boolean {
  return name.length > 1 && existsSync(name);
}

async function runOwnCommand(
  { name, argument }: { name: string; argument: string },
  chat: Chat,
  signal: AbortSignal,
): Promise<undefined> {
  try {
    if (await chat.ownCommands.run(name, argument, signal)) return undefined;
    return writeText(chat, describeUnknownCommand(name, chat.ownCommands.known));
  } catch (thrown) {
    chat.write(renderFailure(thrown, chat.settings.locale, signal));
    return undefined;
  }
}

function writeText(chat: Chat, text: Text): undefined {
  chat.write(say(chat.settings.locale, text));
}

function describeUnknownCommand(typed: string, ownCommands: Chat["ownCommands"]["known"]): Text {
  const name = toShortLine(typed, 40);
  const near = findNearName(typed.toLowerCase(), ownCommands);
  if (near === undefined)
    return { zh: `没有 ${name} 命令。/help 列出全部命令。`, en: `Unknown command ${name}. /help lists the commands.` };
  return {
    zh: `没有 ${name} 命令。是 ${near} 吗？/help 列出全部命令。`,
    en: `Unknown command ${name}. Did you mean ${near}? /help lists the commands.`,
  };
}

/** Returns a name that begins with the typed text, else one that is at most two edits away. */
function findNearName(typed: string, ownCommands: Chat["ownCommands"]["known"]): string | undefined {
  const names = [...chatCommands.flatMap(listNames), ...ownCommands.map(({ name }) => name)];
  const longer = typed.length > 1 ? names.find((name) => name.startsWith(typed)) : undefined;
  return longer ?? (typed.length > 2 ? findNearest(typed, names, () => 2) : undefined);
}

function describeUnexpectedArgument(command: ChatCommand, argument: string): Text {
  const shown = toShortLine(argument, 40);
  return {
    zh: `${command.name} 不接受参数 "${shown}"。${renderUsageLine(command, "zh")}`,
    en: `${command.name} takes no argument (given: "${shown}"). ${renderUsageLine(command, "en")}`,
  };
}

/** Renders what a question or a command threw as one line. If it was stopped, the line says so. */
export function renderFailure(thrown: unknown, locale: Locale, signal: AbortSignal): string {
  if (signal.aborted) return say(locale, { zh: "已取消。", en: "Cancelled." });
  return renderError(toErrorReport(toDuetError(thrown), locale));
}
