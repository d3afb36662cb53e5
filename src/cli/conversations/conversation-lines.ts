import type { ConversationEntry } from "../../core/store/store.ts";
import { type Locale, say, type Text } from "../../kit/locale.ts";
import { sanitizeLine, toShortLine } from "../../kit/text/sanitize.ts";

export function renderEntry(entry: ConversationEntry, locale: Locale): string {
  const { id, title, updatedAt, isPinned } = entry;
  const words = [sanitizeLine(id), renderTime(updatedAt), renderTurnCount(entry, locale), toShortLine(title, 100)];
  return [...words, ...(isPinned ? [say(locale, { zh: "（已置顶）", en: "(pinned)" })] : [])].join("  ");
}

export function renderTurnCount({ turns }: ConversationEntry, locale: Locale): string {
  return say(locale, { zh: `${turns} 轮`, en: turns === 1 ? "1 turn" : `${turns} turns` });
}

/** Converts an ISO 8601 time to the machine's local time: `2026-11-30 14:00`. */
export function renderTime(time: string): string {
  const date = new Date(time);
  const padToTwo = (part: number): string => String(part).padStart(2, "0");
  const day = [date.getFullYear(), padToTwo(date.getMonth() + 1), padToTwo(date.getDate())].join("-");
  return `${day} ${padToTwo(date.getHours())}:${padToTwo(date.getMinutes())}`;
}

/** Explains why the list is always empty when conversations are stored in memory. */
export const nothingKept: Text = {
  zh: "conversations.store 为 memory 时，程序结束后不保留任何内容；设为 disk 则会保留。",
  en: "With conversations.store: memory, nothing is kept after the program ends; disk keeps it.",
};
