import type { ChatCommand } from "./commands/chat-command.ts";

/** Finds the command of that name, in any case and with or without its slash. */
export function findCommand(typed: string, commands: readonly ChatCommand[]): ChatCommand | undefined {
  const wanted = `/${typed.replace(/^\//, "").toLowerCase()}`;
  return commands.find((command) => listNames(command).includes(wanted));
}

/** Returns the command's name, then its other names. */
export function listNames({ name, aliases = [] }: ChatCommand): string[] {
  return [name, ...aliases];
}
