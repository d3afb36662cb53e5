import type { Text } from "../../kit/errors.ts";

/** Why there is never anything to show where conversations are kept in memory. */
export const nothingKept: Text = {
  zh: "按 conversations.store: memory，程序结束后什么都不保留；改为 disk 后才会保留。",
  en: "With conversations.store: memory nothing is kept after the program has ended; disk keeps it.",
};
