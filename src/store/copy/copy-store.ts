import { DuetError } from "../../kit/errors.ts";
import { formatCount } from "../../kit/text/format-count.ts";
import { isAddress } from "../errors/store-error.ts";
import { copiedTables } from "./copied-tables.ts";
import type { RowStore } from "./row-store.ts";

/** Counts the rows of a table that were copied. */
export interface CopiedCount {
  table: string;
  rows: number;
}

/**
 * Copies everything that one store holds into another one, which must be empty: all of it, or nothing. What is written to the first one
 * meanwhile is not copied. Throws a `config` error for a store that is not empty.
 */
export async function copyStore(from: RowStore, to: RowStore): Promise<CopiedCount[]> {
  for (const table of copiedTables) {
    // Whoever has opened the store has said when it is looked after.
    if (table.name === "upkeep") continue;
    const rows = await to.count(table);
    if (rows > 0) throw notEmptyError(to.place, table.name, rows);
  }
  const counts: CopiedCount[] = [];
  for (const table of copiedTables) {
    const there = new Set(await to.listColumns(table));
    const columns = (await from.listColumns(table)).filter((column) => there.has(column));
    let rows = 0;
    if (table.name === "upkeep" && (await to.count(table)) > 0) continue;
    for await (const batch of from.read(table, columns)) {
      await to.write(table, columns, batch);
      rows += batch.length;
    }
    counts.push({ table: table.name, rows });
  }
  await to.commit();
  return counts;
}

function notEmptyError(place: string, table: string, rows: number): DuetError {
  return new DuetError({
    code: "config",
    text: {
      zh: `${place} 不是空的：表 ${table} 已有 ${rows} 行`,
      en: `${place} is not empty: its table ${table} has ${formatCount(rows, "row")}`,
    },
    hint: isAddress(place)
      ? { zh: "请复制到一个空的数据库。", en: "Copy into an empty database." }
      : { zh: "请先把这个文件移到别处。", en: "Move this file away first." },
  });
}
