import { readFileSync } from "node:fs";
import type { Locale } from "../../kit/locale.ts";
import type { FileName } from "./prompt-names.ts";

/** The build puts the texts into a folder beside the file that this becomes a part of. */
const folder = import.meta.url.endsWith(".ts") ? "." : "./prompts";

/** Reads a prompt that comes with the program; each file once. */
export type BuiltInPrompts = (name: FileName, locale: Locale) => string;

export function createBuiltInPrompts(): BuiltInPrompts {
  const read = new Map<string, string>();
  return (name, locale) => {
    const file = `${folder}/${locale}/${name}.md`;
    const text = read.get(file) ?? readFileSync(new URL(file, import.meta.url), "utf8").trim();
    read.set(file, text);
    return text;
  };
}
