import { type NumberedStatement, numberParameters } from "../sql/number-parameters.ts";
import { nextAsked, runEntry } from "../sql/statements/conversation-statements.ts";

/** Stands for the operator, who has no name, where owners are compared: an index of PostgreSQL finds no null. */
export const noOwner = "E'\\x01'";

/** Lists what the two write in different ways, in the order in which it is replaced. */
const differences: readonly (readonly [RegExp | string, string])[] = [
  // A row's trace is packed, and what is left beside it is what a list of runs shows.
  [runEntry, "trace"],
  [nextAsked, "nextval('asked')"],
  [/\bchar\((\d+)\)/g, "chr($1)"],
  [/\bgroup_concat\(/g, "string_agg("],
  [/\bjson_each\((:\w+)\)/g, "jsonb_array_elements(CAST($1 AS jsonb))"],
  // SQLite's LIKE makes no difference between capital and small letters.
  [/ LIKE /g, " ILIKE "],
  // A plus keeps SQLite from an index.
  [/\+owner\b/g, "owner"],
  [/ IS excluded\.owner/g, " IS NOT DISTINCT FROM excluded.owner"],
  [/([\w.]+) IS NOT :(\w+)/g, `coalesce($1, ${noOwner}) <> coalesce(:$2, ${noOwner})`],
  [/([\w.]+) IS :(\w+)/g, `coalesce($1, ${noOwner}) = coalesce(:$2, ${noOwner})`],
];

/** Returns a statement of SQLite's as PostgreSQL has it. Every one of the store is prepared by a test. */
export function translateStatement(text: string): NumberedStatement {
  const translated = differences.reduce((sql, [from, to]) => sql.replaceAll(from, to), text);
  return numberParameters(translated, "$");
}
