import type { ConversationEntry } from "../app.ts";
import { type Locale, say } from "../core/locale.ts";
import { printableLine } from "../core/printable.ts";
import { shortLine } from "../core/short-line.ts";

/** A conversation as one line of a list. */
export function entryLine(entry: ConversationEntry, locale: Locale): string {
  const { id, title, updatedAt } = entry;
  return [printableLine(id), timeOf(updatedAt), turnCount(entry, locale), shortLine(title, 100)].join("  ");
}

export function turnCount({ turns }: ConversationEntry, locale: Locale): string {
  return say(locale, { zh: `${turns} 轮`, en: turns === 1 ? "1 turn" : `${turns} turns` });
}

/** A time of ISO 8601 as people read it, in UTC. */
export function timeOf(time: string): string {
  return time.replace("T", " ").replace(/\.\d+Z$/, "Z");
}
