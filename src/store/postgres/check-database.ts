import { newerSchemaError } from "../store-errors.ts";
import { describePlace } from "./address.ts";
import { createPool } from "./client.ts";
import { toDatabaseError } from "./connection.ts";
import { postgresSchemaVersion, readSchema } from "./schema.ts";

/** Connects once and changes nothing. Rejects where the database cannot be used, or its tables are those of a newer Duet. */
export async function checkDatabase(url: string): Promise<void> {
  const pool = createPool(url, { most: 1 });
  const place = describePlace(url);
  try {
    const client = await pool.connect();
    try {
      const { version, required } = await readSchema(client);
      if (required > postgresSchemaVersion) throw newerSchemaError(version, place, postgresSchemaVersion);
    } finally {
      client.release(true);
    }
  } catch (thrown) {
    throw toDatabaseError(thrown, place);
  } finally {
    await pool.end();
  }
}
