import { existsSync } from "node:fs";
import { mostTypedTexts } from "../../core/store/typed-history.ts";
import { toTypedText } from "../sql/records/typed-history.ts";
import { selectTypedTexts } from "../sql/statements/conversation-statements.ts";
import { openReadOnly } from "./inspect-store.ts";

/** Reads the typed texts of a store that this process may not write. Changes nothing; rejects when they cannot be read. */
export async function readTypedTexts(file: string): Promise<string[]> {
  if (!existsSync(file)) return [];
  const connection = openReadOnly(file);
  try {
    return connection.prepare(selectTypedTexts).all({ most: mostTypedTexts }).map(toTypedText);
  } finally {
    connection.close();
  }
}
