import { type Locale, say, type Text } from "../../../kit/locale.ts";
import type { Completion } from "../../terminal/editor/editor.ts";
import type { Chat } from "../chat-state.ts";

export interface ChatCommand {
  /** Includes the slash. */
  readonly name: `/${string}`;
  readonly aliases?: readonly `/${string}`[];
  /** Describes the argument as help shows it: `on|off`, `[N]`. It is empty for a command without one. */
  readonly argument: string;
  readonly help: Text;
  /** Completes the argument. Never rejects. */
  complete?(chat: Chat, argument: string): Promise<readonly Completion[]>;
  /** Gives "exit" to end the chat; what it throws is told as one line. The signal aborts when somebody stops it. */
  run(chat: Chat, argument: string, signal: AbortSignal): Promise<"exit" | undefined> | "exit" | undefined;
}

/** Commands of one kind, as help shows them. */
export interface CommandGroup {
  readonly title: Text;
  readonly commands: readonly ChatCommand[];
}

/** Renders how a command is typed: `/mode [chat|agent|plan]`. */
export function renderUsage({ name, argument }: Pick<ChatCommand, "name" | "argument">): string {
  return argument === "" ? name : `${name} ${argument}`;
}

export function renderUsageLine(command: Pick<ChatCommand, "name" | "argument">, locale: Locale): string {
  return say(locale, { zh: `用法：${renderUsage(command)}`, en: `Usage: ${renderUsage(command)}` });
}
