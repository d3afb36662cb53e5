/** What a program says of itself before its first statement, without tags; empty where it says nothing. */
export function readDocstring(text: string, file: string): string {
  const code = text.replace(/^\uFEFF/, "").replaceAll("\r\n", "\n");
  if (/\.m?[jt]s$|\.cjs$/.test(file)) return ofJavaScript(code);
  return file.endsWith(".py") ? ofPython(code) : ofHashes(code);
}

/** The first block of documentation that says something: one may hold nothing but a `@type`. */
function ofJavaScript(code: string): string {
  const blocks = code.matchAll(/^[ \t]*\/\*\*(?!\/)([\s\S]*?)\*\//gm);
  for (const [, block = ""] of blocks) {
    const lines = block.split("\n").map((line) => line.replace(/^\s*\*?/, "").trim());
    const tag = lines.findIndex((line) => line.startsWith("@"));
    const said = oneLine(lines.slice(0, tag < 0 ? undefined : tag));
    if (said !== "") return said;
  }
  return "";
}

/** Only comments may stand before it. */
function ofPython(code: string): string {
  const [, , block = ""] = /^(?:[ \t]*(?:#.*)?\n)*[rRuU]?("""|''')([\s\S]*?)\1/.exec(code) ?? [];
  return oneLine(firstLines(block.trim().split("\n")));
}

/** Shell, Ruby and their like: the comment at the head. */
function ofHashes(code: string): string {
  const lines = code.split("\n").filter((line, index) => !(index === 0 && line.startsWith("#!")));
  const end = lines.findIndex((line) => line.trim() !== "" && !line.startsWith("#"));
  const comments = lines
    .slice(0, end < 0 ? undefined : end)
    .map((line) => line.replace(/^#+/, "").trim())
    .filter((line) => !/^(-\*-|shellcheck\b|frozen_string_literal\b|(en)?coding[:=])/.test(line));
  return oneLine(firstLines(comments));
}

/** Up to the first empty line after a first one that says something. */
function firstLines(lines: readonly string[]): string[] {
  const start = lines.findIndex((line) => line.trim() !== "");
  const said = start < 0 ? [] : lines.slice(start);
  const end = said.findIndex((line) => line.trim() === "");
  return said.slice(0, end < 0 ? undefined : end);
}

/** The first paragraph of a Markdown text that is prose: no heading, picture, comment, rule or code. */
export function findFirstParagraph(markdown: string): string {
  const prose = markdown
    .replace(/^\uFEFF/, "")
    .replaceAll("\r\n", "\n")
    .replace(/<!--[\s\S]*?-->/g, "")
    .replace(/^(```|~~~)[\s\S]*?^\1/gm, "");
  const paragraphs = prose.split(/\n\s*\n/).map((block) => block.trim().replace(/^(#{1,6}\s.*\n?)+/, ""));
  const first = paragraphs.find((block) => block.trim() !== "" && !/^(#{1,6}\s|!\[|\[!\[|[-*_]{3,}$)/.test(block));
  return oneLine((first ?? "").split("\n"));
}

function oneLine(lines: readonly string[]): string {
  return lines.join(" ").replace(/\s+/g, " ").trim();
}
