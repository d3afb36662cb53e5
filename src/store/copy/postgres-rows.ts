import { DuetError } from "../../kit/errors.ts";
import { formatCount } from "../../kit/text/format-count.ts";
import { toOperatorError } from "../errors/store-error.ts";
import { describePlace } from "../postgres/address.ts";
import { createPool, type PoolClient } from "../postgres/client.ts";
import { toBound } from "../postgres/connection.ts";
import { toDatabaseError } from "../postgres/database-error.ts";
import { countNewerRuns } from "../postgres/journal/journal-formats.ts";
import { isAlive } from "../postgres/journal/journal-texts.ts";
import { migrateDatabase, readSchema } from "../postgres/schema.ts";
import type { Value } from "../sql/work.ts";
import type { RowStore } from "./row-store.ts";
import { refuseRunsInUse } from "./runs-in-use.ts";

/**
 * Opens a database, brings its tables up to date and begins a transaction on one connection. Rejects with a `config` error where it is to be
 * read and a process that lives carries out runs of it.
 */
export async function openPostgresRows(url: string, mode: "read" | "write"): Promise<RowStore> {
  const pool = createPool(url, { queryTimeoutMs: 0 });
  const place = describePlace(url);
  const orStoreError = (thrown: unknown): never => {
    throw toOperatorError(toDatabaseError(thrown, place));
  };
  const client = await pool.connect().catch(orStoreError);
  const runQuery = (text: string, values: readonly Value[] = []) => client.query(text, [...values]).catch(orStoreError);
  try {
    // Tables that are in use are not even brought up to date.
    if (mode === "read" && (await readSchema(client)).version > 0) refuseRunsInUse(place, await countRunsInUse(client));
    const { version } = await migrateDatabase(client, place);
    if (mode === "read") refuseNewerRuns(place, await countNewerRuns(client, version));
    await runQuery(mode === "read" ? "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY" : "BEGIN");
    // A run may have begun meanwhile. From here on the copy sees no other state.
    if (mode === "read") refuseRunsInUse(place, await countRunsInUse(client));
  } catch (thrown) {
    client.release(true);
    await pool.end();
    throw toOperatorError(toDatabaseError(thrown, place));
  }
  return {
    place,
    async listColumns({ name }) {
      const { rows } = await runQuery(
        "SELECT attname AS name FROM pg_attribute WHERE attrelid = to_regclass($1) AND attnum > 0 AND NOT attisdropped ORDER BY attnum",
        [name],
      );
      return rows.map((row) => String(row.name));
    },
    async count({ name }) {
      const { rows } = await runQuery(`SELECT count(*) AS n FROM ${name}`);
      return Number(rows[0]?.n);
    },
    async *read({ name, key, batch }, columns) {
      await runQuery(
        `DECLARE copied CURSOR FOR SELECT ${columns.map(readColumn).join(", ")} FROM ${name} ORDER BY ${key.join(", ")}`,
      );
      for (;;) {
        const { rows } = await runQuery(`FETCH ${batch} FROM copied`);
        if (rows.length === 0) break;
        yield rows.map((row) => columns.map((column) => toValue(row[column])));
      }
      await runQuery("CLOSE copied");
    },
    async write({ name }, columns, rows) {
      const places = rows.map((_, row) => `(${columns.map((_, n) => `$${row * columns.length + n + 1}`).join(", ")})`);
      await runQuery(
        `INSERT INTO ${name} (${columns.join(", ")}) VALUES ${places.join(", ")}`,
        rows.flatMap((row) => row.map(toBound)),
      );
    },
    async commit() {
      // The next number that the database gives follows those that were copied.
      await runQuery("SELECT setval('asked', greatest(1, (SELECT max(asked) FROM conversations)))");
      for (const table of numbered)
        await runQuery(
          `SELECT setval(pg_get_serial_sequence('${table}', 'n'), greatest(1, (SELECT max(n) FROM ${table})))`,
        );
      await runQuery("COMMIT");
    },
    async close() {
      client.release(true);
      await pool.end();
    },
  };
}

/** A file does not say of which format a run is, so this program would go on with it there. */
function refuseNewerRuns(place: string, count: number): void {
  if (count === 0) return;
  throw new DuetError({
    code: "config",
    text: {
      zh: `${place} 中有 ${count} 个未结束的运行只有更新版本的 Duet 能读取`,
      en: `${place} has ${formatCount(count, "unfinished run")} that only a newer Duet can read`,
    },
    hint: {
      zh: "请用那个版本复制，或等这些运行结束后再复制。",
      en: "Copy with that version, or once they have ended.",
    },
  });
}

/** Counts the unfinished runs while any replica lives: it takes over those that no other one holds. */
async function countRunsInUse(client: PoolClient): Promise<number> {
  const { rows } = await client.query(`SELECT count(*) AS n FROM journal_runs WHERE state = 'going'
    AND EXISTS (SELECT 1 FROM replicas p WHERE ${isAlive})`);
  return Number(rows[0]?.n);
}

/** Lists the tables whose rows the database numbers. */
const numbered = ["made_summaries", "traces", "typed_texts", "journal_steps"];

/** A run that was let go has no holder here, and one that is not there in a file. */
function readColumn(column: string): string {
  return column === "holder" ? "coalesce(holder, '') AS holder" : column;
}

function toValue(value: unknown): Value {
  if (typeof value === "string" || typeof value === "number" || value instanceof Uint8Array) return value;
  return null;
}
