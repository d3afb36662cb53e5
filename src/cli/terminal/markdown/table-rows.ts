import type { Align } from "./block.ts";

/** The cells of a line; a `|` behind a backslash is text. */
export function splitRow(line: string): string[] {
  const cells: string[] = [];
  let cell = "";
  for (const part of line.trim().split(/(\\\||\|)/)) {
    if (part === "|") {
      cells.push(cell.trim());
      cell = "";
    } else cell += part === "\\|" ? "|" : part;
  }
  cells.push(cell.trim());
  if (cells.length > 1 && cells[0] === "") cells.shift();
  if (cells.length > 1 && cells.at(-1) === "") cells.pop();
  return cells;
}

/** The line under the header; undefined when it is none, or one for another number of columns. */
export function readAligns(line: string, header: readonly string[]): Align[] | undefined {
  if (!line.includes("|") || !line.includes("-")) return undefined;
  const cells = splitRow(line);
  if (cells.length !== header.length || !cells.every((cell) => /^:?-+:?$/.test(cell))) return undefined;
  return cells.map((cell) => {
    if (!cell.endsWith(":")) return "left";
    return cell.startsWith(":") ? "center" : "right";
  });
}

/** As many cells as there are columns; what is too much stays in the last one. */
export function fitRow(cells: readonly string[], columns: number): string[] {
  if (cells.length > columns) return [...cells.slice(0, columns - 1), cells.slice(columns - 1).join(" | ")];
  return [...cells, ...Array.from({ length: columns - cells.length }, () => "")];
}
