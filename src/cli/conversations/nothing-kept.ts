import type { Text } from "../../kit/errors.ts";

/** Explains why the list is always empty when conversations are stored in memory. */
export const nothingKept: Text = {
  zh: "按 conversations.store: memory，程序结束后什么都不保留；改为 disk 后才会保留。",
  en: "With conversations.store: memory nothing is kept after the program has ended; disk keeps it.",
};
