import { pickOne, renderChoices } from "../../questions/pick-one.ts";
import type { Picking } from "../../questions/reader.ts";
import type { Chat } from "../chat-state.ts";
import { type ChatCommand, renderUsageLine } from "./chat-command.ts";

/**
 * Lets somebody choose; undefined when nothing was chosen. Where nobody can be asked it tells what there is to choose from,
 * and how it is typed. Rejects when the signal aborts.
 */
export async function chooseOrList<T>(
  chat: Chat,
  picking: Picking<T>,
  command: Pick<ChatCommand, "name" | "argument">,
  signal: AbortSignal,
): Promise<T | undefined> {
  if (chat.reader) return pickOne(chat.reader, picking, signal);
  const { locale } = chat.settings;
  const lines = renderChoices(picking, locale).map((line) => `  ${line}`);
  chat.write(picking.title, ...lines, renderUsageLine(command, locale));
  return undefined;
}
