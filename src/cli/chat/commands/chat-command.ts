import { type Locale, say, type Text } from "../../../kit/errors.ts";
import type { Completion } from "../../terminal/editor/menu.ts";
import type { Chat } from "../expand-run.ts";

/** One command of the chat. */
export interface ChatCommand {
  /** With its slash. */
  readonly name: `/${string}`;
  /** Other names for it. */
  readonly aliases?: readonly `/${string}`[];
  /** Its argument as help shows it: `on|off`, `[N]`; empty where it takes none. */
  readonly argument: string;
  readonly help: Text;
  /** What its argument may be. Never rejects. */
  complete?(chat: Chat, argument: string): Promise<readonly Completion[]>;
  /** Gives "exit" to end the chat; what it throws is told as one line. The signal aborts when somebody stops it. */
  run(chat: Chat, argument: string, signal: AbortSignal): Promise<"exit" | undefined> | "exit" | undefined;
}

/** Commands of one kind, as help shows them. */
export interface CommandGroup {
  readonly title: Text;
  readonly commands: readonly ChatCommand[];
}

/** How a command is typed: `/mode [chat|agent|plan]`. */
export function renderUsage({ name, argument }: Pick<ChatCommand, "name" | "argument">): string {
  return argument === "" ? name : `${name} ${argument}`;
}

export function renderUsageLine(command: Pick<ChatCommand, "name" | "argument">, locale: Locale): string {
  return say(locale, { zh: `用法：${renderUsage(command)}`, en: `Usage: ${renderUsage(command)}` });
}
