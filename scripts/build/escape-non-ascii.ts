import { readFile, writeFile } from "node:fs/promises";

/**
 * Escapes what esbuild leaves as it is in these files: characters in regular expressions, and in texts that are read as they are written.
 * V8 holds a file with one character beyond Latin-1 as two bytes for each of its characters, and reads it more slowly.
 */
export async function escapeFiles(files: readonly string[]): Promise<void> {
  await Promise.all(
    files.map(async (file) => {
      const code = await readFile(file, "utf8");
      const escaped = escapeNonAscii(code);
      if (escaped !== code) await writeFile(file, escaped);
    }),
  );
}

/**
 * Returns JavaScript that does the same, all of it in ASCII, apart from the `source` of a regular expression. It takes `String.raw` for the
 * only function that reads templates as they are written. Throws for templates within such a one.
 */
export function escapeNonAscii(code: string): string {
  return escapeCharacters(code.replaceAll(/\bString\.raw`(?:[^`\\]|\\[\s\S])*`/g, escapeRawText));
}

/** An escape would be part of a raw text, so the character is inserted into it. */
function escapeRawText(template: string): string {
  if (/\$\{[^}]*([{`]|$)/.test(template)) throw new Error(`a template or a brace within ${template}`);
  return template.replaceAll(/\$\{[^}]*\}|(\\*)([^\x00-\x7f]+)/g, (found: string, slashes = "", text?: string) => {
    if (text === undefined) return escapeCharacters(found);
    // The backslash would belong to the insertion.
    if (slashes.length % 2 > 0) throw new Error(`a backslash before ${text} in ${template}`);
    return `${slashes}\${"${escapeCharacters(text)}"}`;
  });
}

/** A backslash before such a character means nothing in texts and regular expressions. */
function escapeCharacters(code: string): string {
  return code.replaceAll(/(\\*)([^\x00-\x7f])/g, (_, slashes: string, character: string) => {
    const kept = slashes.length % 2 === 0 ? slashes : slashes.slice(1);
    return `${kept}\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}
