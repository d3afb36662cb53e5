import { isHttpAddress } from "../../config/schema/address-schemas.ts";
import type { Environment } from "../../config/sources/expand-variables.ts";
import type { Text } from "../../kit/locale.ts";

/** Is a key that was typed, the variable that holds it, or what is wrong with what was typed. */
export type TypedKey = { key: string } | { variable: string } | { problem: Text };

/**
 * Reads what was typed or pasted for a key. Quotes, `Bearer` and `NAME=` around it belong to the place where it was copied. The
 * name of a variable stands for what it holds.
 */
export function readTypedKey(typed: string, environment: Environment): TypedKey {
  const text = typed
    .trim()
    .replace(/^export\s+/, "")
    .replace(/^[A-Z_][A-Z0-9_]*\s*=\s*/, "")
    .replace(/^bearer\s+/i, "")
    .replace(/^(["'])(.*)\1$/, "$2")
    .trim();
  if (text === "") return { problem: noKey };
  const [, dollar, name] = /^(\$?)\{?([A-Z_][A-Z0-9_]*)\}?$/.exec(text) ?? [];
  if (name !== undefined && environment[name]?.trim()) return { variable: name };
  if (name !== undefined && (dollar === "$" || name.includes("_"))) return { problem: describeUnset(name) };
  if (isHttpAddress(text)) return { problem: anAddress };
  if (/\s/.test(text)) return { problem: withBlanks };
  return /^[\x21-\x7e]+$/.test(text) ? { key: text } : { problem: notAscii };
}

const noKey: Text = { zh: "没有输入密钥", en: "no key was typed" };
const anAddress: Text = { zh: "这是一个地址，不是密钥", en: "this is an address, not a key" };
const withBlanks: Text = {
  zh: "密钥中间有空格：请只粘贴密钥本身",
  en: "there is a space in it: paste the key alone",
};
const notAscii: Text = {
  zh: "其中有密钥里不会出现的字符：请只粘贴密钥本身",
  en: "it has characters that no key has: paste the key alone",
};
const describeUnset = (name: string): Text => ({
  zh: `环境变量 ${name} 没有设置：请输入密钥本身，或设置后重新启动`,
  en: `the variable ${name} is not set: type the key itself, or set it and start again`,
});
