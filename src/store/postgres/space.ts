import type { StoreSpace } from "../sql/retention.ts";
import { defineStatement } from "../sql/work.ts";

/** Lists the columns that take the most, by their tables. */
const columns: readonly (readonly [table: string, columns: readonly string[]])[] = [
  ["turns", ["question", "answer", "files", "record"]],
  ["traces", ["trace", "packed"]],
  ["results", ["body"]],
  ["files", ["bytes"]],
  ["responses", ["body"]],
  ["sources", ["url", "title", "snippet"]],
  ["journal_steps", ["data"]],
  ["journal_events", ["data"]],
];

/** Sums up what columns take as they are stored. It reads no value that is stored apart from its row. */
function sumOf(table: string, names: readonly string[]): string {
  const sizes = names.map((name) => `coalesce(pg_column_size(${name}), 0)`);
  return `(SELECT coalesce(sum(${sizes.join(" + ")}), 0) FROM ${table})`;
}

export const databaseStatements = {
  /** Is the clock that all replicas share, in milliseconds since 1970. */
  clock: defineStatement("SELECT CAST(extract(epoch FROM clock_timestamp()) * 1000 AS bigint) AS now"),
  storedBytes: defineStatement(`SELECT ${columns.map(([table, names]) => sumOf(table, names)).join(" + ")} AS bytes`),
  /** The number is another one after each transaction of anybody's. */
  snapshot: defineStatement("SELECT hashtext(CAST(pg_current_snapshot() AS TEXT)) AS version"),
};

/** Measures what is stored. The space of what was removed is the database's own to give back. */
export const databaseSpace: StoreSpace = {
  *measure() {
    return Number((yield* databaseStatements.storedBytes.get())?.bytes);
  },
  async release() {},
};
