import { describePlace } from "./address.ts";
import { createPool, endConnections, type PoolClient } from "./client.ts";
import { toDatabaseError } from "./database-error.ts";

/** Does something on one connection, and closes it. Rejects with a `DuetError`. `limitMs` is how long one statement may take. */
export async function withDatabase<T>(
  url: string,
  work: (client: PoolClient, place: string) => Promise<T>,
  limitMs?: number,
): Promise<T> {
  const pool = createPool(url, { most: 1, queryTimeoutMs: limitMs });
  const place = describePlace(url);
  try {
    const client = await pool.connect();
    try {
      return await work(client, place);
    } finally {
      client.release(true);
    }
  } catch (thrown) {
    throw toDatabaseError(thrown, place);
  } finally {
    await endConnections(pool);
  }
}
