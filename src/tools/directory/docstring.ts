/** Returns a program's leading documentation without tags, or an empty string when there is none. */
export function readDocstring(text: string, file: string): string {
  const code = text.replace(/^\uFEFF/, "").replaceAll("\r\n", "\n");
  if (/\.m?[jt]s$|\.cjs$/.test(file)) return readJavaScript(code);
  return file.endsWith(".py") ? readPython(code) : readHashes(code);
}

/** Returns the first documentation block that contains text, because a block may hold only a `@type`. */
function readJavaScript(code: string): string {
  const blocks = code.matchAll(/^[ \t]*\/\*\*(?!\/)([\s\S]*?)\*\//gm);
  for (const [, block = ""] of blocks) {
    const lines = block.split("\n").map((line) => line.replace(/^\s*\*?/, "").trim());
    const tag = lines.findIndex((line) => line.startsWith("@"));
    const said = toOneLine(lines.slice(0, tag < 0 ? undefined : tag));
    if (said !== "") return said;
  }
  return "";
}

/** Only comments may precede the docstring. */
function readPython(code: string): string {
  const [, , block = ""] = /^(?:[ \t]*(?:#.*)?\n)*[rRuU]?("""|''')([\s\S]*?)\1/.exec(code) ?? [];
  return toOneLine(selectFirstLines(block.trim().split("\n")));
}

/** Reads the leading comment of shell, Ruby and similar languages. */
function readHashes(code: string): string {
  const lines = code.split("\n").filter((line, index) => !(index === 0 && line.startsWith("#!")));
  const end = lines.findIndex((line) => line.trim() !== "" && !line.startsWith("#"));
  const comments = lines
    .slice(0, end < 0 ? undefined : end)
    .map((line) => line.replace(/^#+/, "").trim())
    .filter((line) => !/^(-\*-|shellcheck\b|frozen_string_literal\b|(en)?coding[:=])/.test(line));
  return toOneLine(selectFirstLines(comments));
}

/** Returns the lines up to the first empty one after some text. */
function selectFirstLines(lines: readonly string[]): string[] {
  const start = lines.findIndex((line) => line.trim() !== "");
  const said = start < 0 ? [] : lines.slice(start);
  const end = said.findIndex((line) => line.trim() === "");
  return said.slice(0, end < 0 ? undefined : end);
}

/** Returns the first prose paragraph of a Markdown text. Headings, images, comments, rules and code are skipped. */
export function findFirstParagraph(markdown: string): string {
  const prose = markdown
    .replace(/^\uFEFF/, "")
    .replaceAll("\r\n", "\n")
    .replace(/<!--[\s\S]*?-->/g, "")
    .replace(/^(```|~~~)[\s\S]*?^\1/gm, "");
  const paragraphs = prose.split(/\n\s*\n/).map((block) => block.trim().replace(/^(#{1,6}\s.*\n?)+/, ""));
  const first = paragraphs.find((block) => block.trim() !== "" && !/^(#{1,6}\s|!\[|\[!\[|[-*_]{3,}$)/.test(block));
  return toOneLine((first ?? "").split("\n"));
}

function toOneLine(lines: readonly string[]): string {
  return lines.join(" ").replace(/\s+/g, " ").trim();
}
