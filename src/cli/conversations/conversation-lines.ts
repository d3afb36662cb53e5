import type { ConversationEntry } from "../../core/store/conversations/entries.ts";
import { type Locale, say, type Text } from "../../kit/locale.ts";
import { sanitizeLine, toShortLine } from "../../kit/text/sanitize.ts";
import { renderTime } from "../../render/render-time.ts";

export function renderEntry(entry: ConversationEntry, locale: Locale): string {
  const { id, title, updatedAt, isPinned } = entry;
  const words = [sanitizeLine(id), renderTime(updatedAt), renderTurnCount(entry, locale), toShortLine(title, 100)];
  return [...words, ...(isPinned ? [say(locale, { zh: "（已置顶）", en: "(pinned)" })] : [])].join("  ");
}

export function renderTurnCount({ turns }: ConversationEntry, locale: Locale): string {
  return say(locale, { zh: `${turns} 轮`, en: turns === 1 ? "1 turn" : `${turns} turns` });
}

/** Explains why the list is always empty when conversations are stored in memory. */
export const nothingKept: Text = {
  zh: "conversations.store 为 memory 时，程序结束后不保留任何内容；设为 disk 则会保留。",
  en: "With conversations.store: memory, nothing is kept after the program ends; disk keeps it.",
};
