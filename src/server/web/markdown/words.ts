import type { Text } from "../../../kit/locale.ts";

/** The words that stand beside what an answer says. */
export const words = {
  copy: { zh: "复制", en: "Copy" },
  copied: { zh: "已复制", en: "Copied" },
  notCopied: { zh: "未能复制", en: "Not copied" },
  code: { zh: "代码", en: "Code" },
  table: { zh: "表格", en: "Table" },
  image: { zh: "图片（未加载）", en: "Image (not loaded)" },
  done: { zh: "已完成", en: "done" },
  open: { zh: "未完成", en: "not done" },
} as const satisfies Record<string, Text>;
