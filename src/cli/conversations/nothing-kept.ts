import type { Text } from "../../kit/locale.ts";

/** Explains why the list is always empty when conversations are stored in memory. */
export const nothingKept: Text = {
  zh: "conversations.store 为 memory 时，程序结束后不保留任何内容；设为 disk 则会保留。",
  en: "With conversations.store: memory, nothing is kept after the program ends; disk keeps it.",
};
