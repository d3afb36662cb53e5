import { DuetError } from "../../../kit/errors.ts";
import { type Locale, say, type Text } from "../../../kit/locale.ts";
import { pickOne, renderChoices } from "../../questions/pick-one.ts";
import type { PickOptions } from "../../questions/reader.ts";
import type { Completion } from "../../terminal/editor/editor.ts";
import type { Chat } from "../chat.ts";

export interface ChatCommand {
  /** Includes the slash. */
  readonly name: `/${string}`;
  readonly aliases?: readonly `/${string}`[];
  /** Describes the argument as help shows it: `on|off`, `[N]`. It is empty for a command without one. */
  readonly argument: string;
  readonly help: Text;
  /** Is true for a command that runs at once while a run goes on: it asks no model and nobody, and leaves the conversation alone. */
  readonly runsAtOnce?: boolean | ((argument: string) => boolean);
  /** Completes the argument. Never rejects. */
  complete?(chat: Chat, argument: string): Promise<readonly Completion[]>;
  /** Returns "exit" to end the chat; what it throws is written as one line. The signal aborts when somebody stops it. */
  run(chat: Chat, argument: string, signal: AbortSignal): Promise<"exit" | undefined> | "exit" | undefined;
}

/** Groups the commands of one kind, as help shows them. */
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

/** Returns the error for an invalid argument: its text shows the value, and its hint what is allowed. */
export function commandError(text: Text, hint?: Text): DuetError {
  return new DuetError({ code: "invalid_request", text, hint });
}

/**
 * Lets somebody choose; undefined when nothing was chosen. Where nobody can be asked it writes what there is to choose from,
 * and how it is typed. Rejects when the signal aborts.
 */
export async function chooseOrList<T>(
  chat: Chat,
  picking: PickOptions<T>,
  command: Pick<ChatCommand, "name" | "argument">,
  signal: AbortSignal,
): Promise<T | undefined> {
  if (chat.reader) return pickOne(chat.reader, picking, signal);
  const { locale } = chat.settings;
  const lines = renderChoices(picking, locale).map((line) => `  ${line}`);
  chat.write(picking.title, ...lines, renderUsageLine(command, locale));
  return undefined;
}

type CommandNames = Pick<ChatCommand, "name" | "aliases">;

/** Finds the command of that name, in any case and with or without its slash. */
export function findCommand<T extends CommandNames>(typed: string, commands: readonly T[]): T | undefined {
  const wanted = `/${typed.replace(/^\//, "").toLowerCase()}`;
  return commands.find((command) => listNames(command).some((name) => name.toLowerCase() === wanted));
}

/** Returns the command's name, then its other names. */
export function listNames({ name, aliases = [] }: CommandNames): string[] {
  return [name, ...aliases];
}
