import { missingRightError } from "../store-errors.ts";
import type { PoolClient } from "./client.ts";
import { readUsableSchema } from "./schema.ts";
import { withDatabase } from "./with-database.ts";

/**
 * Connects once and changes nothing. Rejects where the database cannot be used, or its tables are those of a newer Duet; with `mayWrite` also
 * where the role of the address may not write.
 */
export async function checkDatabase(url: string, { mayWrite = false } = {}): Promise<void> {
  await withDatabase(url, async (client, place) => {
    const { version } = await readUsableSchema(client, place);
    if (mayWrite) await checkRights(client, { place, version });
  });
}

/** Lists the tables to which the role may not write; without tables, the schema in which it may not create them. */
const missingRights = `
  SELECT c.relname AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname = current_schema() AND c.relkind = 'r' AND c.relname IN ('conversations', 'journal_runs', 'replicas')
      AND NOT (has_table_privilege(c.oid, 'INSERT') AND has_table_privilege(c.oid, 'UPDATE'))
  UNION ALL SELECT coalesce(current_schema(), 'public') WHERE $1 AND NOT
    coalesce(has_schema_privilege(current_schema(), 'CREATE'), false)`;

async function checkRights(client: PoolClient, { place, version }: { place: string; version: number }): Promise<void> {
  const { rows } = await client.query(missingRights, [version === 0]);
  const names = rows.map(({ name }) => String(name)).join(", ");
  if (names !== "") throw missingRightError(place, names);
}
