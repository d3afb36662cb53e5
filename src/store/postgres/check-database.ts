import type { Text } from "../../kit/locale.ts";
import type { PoolClient } from "./client.ts";
import { migrations } from "./migrations.ts";
import { checkWritable } from "./reachability.ts";
import { readUsableSchema } from "./schema.ts";
import { withDatabase } from "./with-database.ts";
import { missingRightError, missingSchemaError } from "./wrong-database-errors.ts";

/**
 * Connects once and changes nothing. Rejects where the database cannot be used, or its tables are those of a newer Duet; with `mayWrite` also
 * where the role of the address may not write.
 */
export async function checkDatabase(url: string, { mayWrite = false } = {}): Promise<void> {
  await withDatabase(url, async (client, place) => {
    const { version } = await readUsableSchema(client, place);
    if (!mayWrite) return;
    await checkWritable(client);
    await (version === 0 ? checkSchema(client, place) : checkRights(client, place));
  });
}

/** Finds the schema that the tables are to be created in: the first of `search_path` that there is. */
const schemaText = `
  SELECT current_schema() AS name, current_setting('search_path') AS path,
    coalesce(has_schema_privilege(current_schema(), 'CREATE'), false) AS creates`;

async function checkSchema(client: PoolClient, place: string): Promise<void> {
  const { rows } = await client.query(schemaText);
  const { name, path, creates } = rows[0] ?? {};
  if (name === null) throw missingSchemaError(place, String(path));
  if (creates !== 1) throw missingRightError(place, [toMissing("CREATE", `${name}`)]);
}

/** Lists the rights that the role lacks, with the tables and sequences that need them. */
const missingRights = `
  SELECT missing.rights, min(missing.relname) AS first, count(*) AS objects FROM (
    SELECT c.relname, array_to_string(ARRAY(
      SELECT r FROM unnest(CASE c.relkind WHEN 'S' THEN ARRAY['USAGE'] ELSE ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE'] END) AS r
      WHERE NOT CASE c.relkind WHEN 'S' THEN has_sequence_privilege(c.oid, r) ELSE has_table_privilege(c.oid, r) END
    ), ', ') AS rights
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname = current_schema() AND c.relkind IN ('r', 'S') AND c.relname = ANY($1)
  ) AS missing WHERE missing.rights <> '' GROUP BY missing.rights ORDER BY first`;

/** Lists what the migrations create and a Duet reads and changes. */
const usedObjects = migrations.flatMap(({ statements }) =>
  statements.flatMap((text) => /^CREATE (?:TABLE|SEQUENCE) (\w+)/.exec(text)?.[1] ?? []),
);

async function checkRights(client: PoolClient, place: string): Promise<void> {
  const { rows } = await client.query(missingRights, [usedObjects]);
  const missing = rows.map(({ rights, first, objects }) => toMissing(`${rights}`, `${first}`, Number(objects) - 1));
  if (missing.length > 0) throw missingRightError(place, missing);
}

/** Says of rights what they are missing for: one table or sequence, with so many others. */
function toMissing(rights: string, name: string, others = 0): Text {
  if (others === 0) return { zh: `${name} 的 ${rights}`, en: `${rights} on ${name}` };
  return { zh: `${name} 等 ${others + 1} 个对象的 ${rights}`, en: `${rights} on ${name} and ${others} others` };
}
