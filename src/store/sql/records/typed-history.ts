import { mostTypedTexts, type TypedHistory } from "../../../core/store/typed-history.ts";
import { toText } from "../../../kit/json.ts";
import type { StoreConnection } from "../connection.ts";
import { statements } from "../statements/statements.ts";
import { lock, type Row } from "../work.ts";

/** Stores what the operator types in the store's own database. */
export function createSqlTypedHistory(connection: StoreConnection): TypedHistory {
  return {
    async list() {
      const rows = await connection.read(() => statements.typedTexts.all({ most: mostTypedTexts }));
      return rows.map(toTypedText);
    },
    add: (texts) =>
      connection.write(function* () {
        yield* lock("typed texts");
        const added = typeof texts === "function" ? texts() : texts;
        for (const text of added.slice(-mostTypedTexts))
          yield* statements.addTypedText.run({ text: JSON.stringify(text) });
        if (added.length > 0) yield* statements.pruneTypedTexts.run({ most: mostTypedTexts });
      }),
  };
}

/** Returns the text of a row. */
export function toTypedText({ text }: Row): string {
  return String(JSON.parse(toText(text)));
}
