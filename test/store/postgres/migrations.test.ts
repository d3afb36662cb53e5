import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { migrations } from "../../../src/store/postgres/migrations.ts";
import { postgres, query, type SharedPostgres, sharePostgres } from "../../fakes/postgres.ts";
import { requires } from "../../runner/requirements.ts";

/** Lists what a program of an earlier version relies on: its columns, and what the database demands of a row. */
const relied = `
  SELECT 'column ' || c.table_name || '.' || c.column_name AS name,
    concat_ws(' ', data_type, is_nullable, column_default, is_identity, is_generated) AS what,
    c.is_nullable = 'NO' AND c.column_default IS NULL AND c.is_identity = 'NO' AS demands, c.table_name AS of_table
  FROM information_schema.columns c WHERE c.table_schema = 'public'
  UNION ALL
  SELECT 'constraint ' || r.relname || '.' || k.conname, pg_get_constraintdef(k.oid), k.contype <> 'n', r.relname
  FROM pg_constraint k JOIN pg_class r ON r.oid = k.conrelid JOIN pg_namespace n ON n.oid = r.relnamespace
  WHERE n.nspname = 'public'
  UNION ALL
  SELECT 'unique ' || r.relname || '.' || i.relname, pg_get_indexdef(i.oid), true, r.relname
  FROM pg_index x JOIN pg_class i ON i.oid = x.indexrelid JOIN pg_class r ON r.oid = x.indrelid
    JOIN pg_namespace n ON n.oid = r.relnamespace
  WHERE n.nspname = 'public' AND x.indisunique
  UNION ALL
  SELECT 'trigger ' || r.relname || '.' || t.tgname, pg_get_triggerdef(t.oid), true, r.relname
  FROM pg_trigger t JOIN pg_class r ON r.oid = t.tgrelid WHERE NOT t.tgisinternal`;

/** Are what the program of the version before keeps to as well: it stores a step once, but for one that it writes twice at the same time. */
const keptAnyway = ["unique journal_steps.journal_steps_once"];

describe("the tables of each version", requires(postgres), () => {
  let server: SharedPostgres;
  beforeAll(async () => {
    server = await sharePostgres();
  });
  afterAll(() => server?.stop());

  async function listRelied(url: string) {
    const rows = await query(url, relied);
    return new Map(
      rows.map(({ name, what, demands, of_table }) => [
        String(name),
        { what: String(what), demands: demands === true, table: String(of_table) },
      ]),
    );
  }

  test("serve a program of the version before, unless a migration says that it breaks", async () => {
    const url = await server.createEmptyDatabase();
    let after = await listRelied(url);
    for (const { statements, isBreaking } of migrations) {
      const before = after;
      const tables = new Set([...before.values()].map(({ table }) => table));
      await query(url, statements.join(";\n"));
      after = await listRelied(url);
      if (isBreaking) continue;
      for (const [name, { what }] of before) expect([name, after.get(name)?.what]).toEqual([name, what]);
      // A program that does not know of it writes rows without it.
      const demanded = [...after].filter(
        ([name, { demands, table }]) => !before.has(name) && demands && tables.has(table),
      );
      expect(demanded.map(([name]) => name).filter((name) => !keptAnyway.includes(name))).toEqual([]);
    }
  });
});
