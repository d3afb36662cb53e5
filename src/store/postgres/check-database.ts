import { readUsableSchema } from "./schema.ts";
import { withDatabase } from "./with-database.ts";

/** Connects once and changes nothing. Rejects where the database cannot be used, or its tables are those of a newer Duet. */
export async function checkDatabase(url: string): Promise<void> {
  await withDatabase(url, readUsableSchema);
}
