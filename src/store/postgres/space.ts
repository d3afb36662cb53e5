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

/** Is how much of the rows of a table is read, in bytes. Of a larger one as much is read here and there, and the rest is estimated. */
const sampledBytes = 8_192_000;

/**
 * Sums up what columns take as they are stored, without a scan of a large table. It reads no value that is stored apart from its row.
 * `sampled` limits what is read, in bytes.
 */
export function sumUpTable(table: string, names: readonly string[], sampled = sampledBytes): string {
  const sizes = names.map((name) => `coalesce(pg_column_size(${name}), 0)`);
  const share = `(CAST(pg_relation_size('${table}') AS double precision) / ${sampled})`;
  return `(SELECT coalesce(sum(${sizes.join(" + ")}), 0) * greatest(1, ${share})
    FROM ${table} TABLESAMPLE SYSTEM (100 / greatest(1, ${share})))`;
}

export const databaseStatements = {
  /** Is the clock that all replicas share, in milliseconds since 1970. */
  clock: defineStatement("SELECT CAST(extract(epoch FROM clock_timestamp()) * 1000 AS bigint) AS now"),
  storedBytes: defineStatement(
    `SELECT ${columns.map(([table, names]) => sumUpTable(table, names)).join(" + ")} AS bytes`,
  ),
  /**
   * The number is another one after each transaction of anybody's that has changed something, but for signs of life: each of these
   * counts in `replicas`, and is taken off the transactions that have begun.
   */
  version: defineStatement(`
      SELECT hashtext(concat((SELECT string_agg(CAST(x AS text), ' ') FROM pg_snapshot_xip(s) AS x), '/',
        CAST(CAST(pg_snapshot_xmax(s) AS text) AS bigint) - (SELECT coalesce(sum(renewals), 0) FROM replicas))) AS version
      FROM pg_current_snapshot() AS s`),
};

/** Measures what is stored: a large database about, not exactly. The space of what was removed is the database's own to give back. */
export const databaseSpace: StoreSpace = {
  *measure() {
    return Math.round(Number((yield* databaseStatements.storedBytes.get())?.bytes));
  },
  async release() {},
};
