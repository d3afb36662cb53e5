import type { TrustPreviewItem } from "../../config/trust/trust-preview.ts";
import { type Locale, say } from "../../kit/locale.ts";
import { sanitize, sanitizeLine } from "../../kit/text/sanitize.ts";

/** A file that somebody is to trust, or not. */
export interface TrustFile {
  file: string;
  text: string;
  preview: readonly TrustPreviewItem[];
  /** The variables of the user's environment whose values it takes or gives away. */
  uses: readonly string[];
}

/**
 * What is shown of it: what it would start and where it connects, which variables it uses, then its whole text. Nothing is
 * masked or cut, and a line of the file never begins like one of ours.
 */
export function renderTrustSection({ file, text, preview, uses }: TrustFile, locale: Locale): string {
  const lines = preview.length > 0 ? preview.map((each) => toldLine(each, locale)) : [say(locale, nothingTold)];
  const used = uses.length > 0 ? [`${say(locale, usesVariables)}${uses.map(asName).join(", ")}`] : [];
  // A lone carriage return ends a line, and with it a comment, too.
  const whole = text
    .replaceAll("\r\n", "\n")
    .replace(/\n+$/, "")
    .split(/\n|(?<=\r)/);
  return [
    sanitizeLine(file),
    ...[...lines, ...used, say(locale, wholeText)].map((line) => `  ${sanitize(line)}`),
    ...whole.map((line) => `  | ${sanitize(line)}`),
    "",
  ].join("\n");
}

function toldLine({ key, value, isDangerous }: TrustPreviewItem, locale: Locale): string {
  return `${key}: ${value}${isDangerous ? say(locale, canRunCode) : ""}`;
}

function asName(name: string): string {
  return /^\w+$/.test(name) ? name : JSON.stringify(name);
}

const nothingTold = { zh: "不启动任何程序，也不含地址", en: "starts nothing and names no address" };
const canRunCode = { zh: "（能让程序运行别的代码）", en: " (can make a program run other code)" };
const usesVariables = { zh: "使用您的环境变量：", en: "uses your variables: " };
const wholeText = { zh: "全文：", en: "its whole text:" };
