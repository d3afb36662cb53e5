import { type Locale, say, type Text } from "../../../../kit/locale.ts";

/**
 * Returns a line as a screen reader should speak it: the sign at its beginning becomes a word, or is removed where the word
 * follows anyway.
 */
export function toScreenReaderText(line: string, locale: Locale): string {
  return line.replace(leadingSign, (_, indent: string, sign: string) => {
    const word = say(locale, words.get(sign) ?? nothing);
    return word === "" ? indent : `${indent}${word}${locale === "zh" ? "：" : ": "}`;
  });
}

const nothing: Text = { zh: "", en: "" };

/** Maps every sign that begins one of our lines to its word. */
const words: ReadonlyMap<string, Text> = new Map([
  ["✓", { zh: "完成", en: "ok" }],
  ["✗", { zh: "失败", en: "failed" }],
  ["🔧", { zh: "工具", en: "tool" }],
  ["…", { zh: "进度", en: "progress" }],
  ["💭", { zh: "思考", en: "thought" }],
  ["💡", { zh: "思考过程", en: "thought" }],
  ["⚖", { zh: "评估", en: "evaluation" }],
  ["⚠", { zh: "警告", en: "warning" }],
  ["ℹ", { zh: "提示", en: "note" }],
  ["│", { zh: "引用", en: "quote" }],
  ["🧭", nothing],
  ["📝", nothing],
  ["📋", nothing],
  ["🔐", nothing],
  ["❓", nothing],
  ["🔗", nothing],
  ["⏸", nothing],
  ["◻", nothing],
  ["▶", nothing],
  ["☑", nothing],
  ["☒", nothing],
  ["⏭", nothing],
  ["–", nothing],
  ["💬", nothing],
  ["🤖", nothing],
  ["🗂", nothing],
  ["🌐", nothing],
  ["🗜", nothing],
  ["↻", nothing],
]);

const leadingSign = new RegExp(`^([ ]*)(${[...words.keys()].join("|")})\\ufe0f?(?: +|$)`, "u");
