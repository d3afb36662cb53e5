import type { ChatCommand } from "./commands/chat-command.ts";

/** The command of that name, in whatever case and with or without its slash. */
export function findCommand(typed: string, commands: readonly ChatCommand[]): ChatCommand | undefined {
  const wanted = `/${typed.replace(/^\//, "").toLowerCase()}`;
  return commands.find((command) => listNames(command).includes(wanted));
}

/** Its name, then its other names. */
export function listNames({ name, aliases = [] }: ChatCommand): string[] {
  return [name, ...aliases];
}
