import { readFileSync } from "node:fs";
import type { Locale } from "../core/locale.ts";
import type { FileName } from "./prompt-names.ts";

/** Reads a prompt that comes with the program; each file once. */
export type BuiltInPrompts = (name: FileName, locale: Locale) => string;

export function createBuiltInPrompts(): BuiltInPrompts {
  const read = new Map<string, string>();
  return (name, locale) => {
    // The build puts the folder beside the file that this becomes a part of, so that the address holds there too.
    const file = `./prompts/${locale}/${name}.md`;
    const text = read.get(file) ?? readFileSync(new URL(file, import.meta.url), "utf8").trim();
    read.set(file, text);
    return text;
  };
}
