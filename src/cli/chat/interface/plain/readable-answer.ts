import { type Locale, say } from "../../../../kit/locale.ts";

/**
 * Returns what makes lines of an answer as a screen reader should speak them; undefined leaves a line out. A row of a table is
 * told with the names of its columns, and a rule is a word. Code stays as it is.
 */
export function createReadableAnswer(locale: Locale): (line: string) => string | undefined {
  /** Holds the fence that ends the block of code. */
  let fence: string | undefined;
  /** Holds the last line where it may be the header of a table, and the header of the table that is open. */
  let before: string[] | undefined;
  let header: string[] | undefined;

  return (line) => {
    const [, mark] = /^ {0,3}(`{3,}|~{3,})/.exec(line) ?? [];
    if (fence !== undefined) {
      if (mark?.startsWith(fence) && line.trim() === mark) fence = undefined;
      return line;
    }
    if (mark !== undefined) fence = mark;
    const cells = readCells(line);
    const isBorder = cells?.every((cell) => /^:?-+:?$/.test(cell)) ?? false;
    if (isBorder && before?.length === cells?.length) {
      header = before;
      before = undefined;
      return undefined;
    }
    before = cells;
    if (cells === undefined) header = undefined;
    else if (header !== undefined) return sayRow(header, cells, locale);
    // Whether it is a header is known with the next line only.
    else if (cells.length > 1) return cells.join(say(locale, { zh: "、", en: ", " }));
    return isRule.test(line) ? say(locale, { zh: "（分隔线）", en: "(rule)" }) : line;
  };
}

const isRule = /^ {0,3}(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,})$/;

/** Returns the cells of a line that may belong to a table. */
function readCells(line: string): string[] | undefined {
  const text = line.trim();
  if (!text.startsWith("|")) return undefined;
  return text
    .slice(1, text.endsWith("|") && !text.endsWith("\\|") ? -1 : undefined)
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim());
}

function sayRow(header: readonly string[], cells: readonly string[], locale: Locale): string {
  const [colon, end] = locale === "zh" ? ["：", "；"] : [": ", "; "];
  const named = cells.map((cell, index) => (cell && header[index] ? `${header[index]}${colon}${cell}` : cell));
  return named.filter((cell) => cell !== "").join(end);
}
