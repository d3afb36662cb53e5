import { existsSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { mostTypedTexts } from "../../core/store/store.ts";
import { toTypedText } from "../sql/records/typed-history.ts";
import { selectTypedTexts } from "../sql/statements/conversation-statements.ts";
import { loadSqlite } from "./connection.ts";

/** Reads the typed texts of a store that this process may not write. Changes nothing; rejects when they cannot be read. */
export async function readTypedTexts(file: string): Promise<string[]> {
  if (!existsSync(file)) return [];
  const { DatabaseSync } = loadSqlite();
  const address = pathToFileURL(file);
  // SQLite would create the log's index otherwise, which a folder that cannot be written does not allow.
  if (!existsSync(`${file}-wal`)) address.searchParams.set("immutable", "1");
  const connection: DatabaseSync = new DatabaseSync(address, { readOnly: true });
  try {
    return connection.prepare(selectTypedTexts).all({ most: mostTypedTexts }).map(toTypedText);
  } finally {
    connection.close();
  }
}
