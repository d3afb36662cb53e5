import type { JsonValue } from "../../../kit/json.ts";
import type { Table } from "./content.ts";

/** The rows as JSON with the columns in their order, which an object would not keep for names like 2026. */
export function writeJsonRows({ columns, rows }: Table, indent: number): string {
  const [line, colon] = indent === 0 ? ["", ":"] : ["\n", ": "];
  const pad = (level: number): string => " ".repeat(indent * level);
  const write = (value: JsonValue): string => JSON.stringify(value, undefined, indent).replaceAll("\n", `\n${pad(2)}`);
  const list = rows.map((row) => {
    const cells = columns.flatMap((name, index) => {
      const cell = row[index];
      return cell === undefined ? [] : [`${pad(2)}${JSON.stringify(name)}${colon}${write(cell)}`];
    });
    return cells.length === 0 ? `${pad(1)}{}` : `${pad(1)}{${line}${cells.join(`,${line}`)}${line}${pad(1)}}`;
  });
  return list.length === 0 ? "[]" : `[${line}${list.join(`,${line}`)}${line}]`;
}

/** The rows for a writer that keeps the order of a map. */
export function toMaps({ columns, rows }: Table): Map<string, JsonValue>[] {
  return rows.map((row) => {
    const entries = columns.map((name, index): [string, JsonValue | undefined] => [name, row[index]]);
    return new Map(entries.filter((entry): entry is [string, JsonValue] => entry[1] !== undefined));
  });
}
