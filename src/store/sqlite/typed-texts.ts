import { existsSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { mostTypedTexts, type TypedHistory } from "../../core/store/store.ts";
import { toText } from "../../kit/json.ts";
import { loadSqlite, type StoreConnection } from "./connection.ts";
import { selectTypedTexts } from "./statements.ts";

/** Stores what the operator types in the store's own file. */
export function createSqliteTypedHistory(connection: StoreConnection): TypedHistory {
  return {
    async list() {
      const rows = await connection.read(({ typedTexts }) => typedTexts.all(mostTypedTexts));
      return rows.map(toTypedText);
    },
    add: (texts) =>
      connection.write(({ addTypedText, pruneTypedTexts }) => {
        const added = typeof texts === "function" ? texts() : texts;
        for (const text of added.slice(-mostTypedTexts)) addTypedText.run(JSON.stringify(text));
        if (added.length > 0) pruneTypedTexts.run(mostTypedTexts);
      }),
  };
}

/** Returns the text of a row. */
function toTypedText({ text }: Record<string, unknown>): string {
  return String(JSON.parse(toText(text)));
}

/** Reads the typed texts of a store that this process may not write. Changes nothing; rejects when they cannot be read. */
export async function readTypedTexts(file: string): Promise<string[]> {
  if (!existsSync(file)) return [];
  const { DatabaseSync } = loadSqlite();
  const address = pathToFileURL(file);
  // SQLite would create the log's index otherwise, which a folder that cannot be written does not allow.
  if (!existsSync(`${file}-wal`)) address.searchParams.set("immutable", "1");
  const connection: DatabaseSync = new DatabaseSync(address, { readOnly: true });
  try {
    return connection.prepare(selectTypedTexts).all(mostTypedTexts).map(toTypedText);
  } finally {
    connection.close();
  }
}
