import { nextAsked, runEntry } from "../sql/statements/conversation-statements.ts";

/** Is a statement with numbered parameters, and the names of what they are bound to, in order. */
export interface TranslatedStatement {
  text: string;
  names: readonly string[];
}

/** Stands for the operator, who has no name, where owners are compared: an index of PostgreSQL finds no null. */
export const noOwner = "E'\\x01'";

/** Lists what the two write in different ways, in the order in which it is replaced. */
const differences: readonly (readonly [RegExp | string, string])[] = [
  // A row's trace is packed, and what is left beside it is what a list of runs shows.
  [runEntry, "trace"],
  [nextAsked, "nextval('asked')"],
  [/\bchar\((\d+)\)/g, "chr($1)"],
  [/\bgroup_concat\(/g, "string_agg("],
  // SQLite's LIKE makes no difference between capital and small letters.
  [/ LIKE /g, " ILIKE "],
  // A plus keeps SQLite from an index.
  [/\+owner\b/g, "owner"],
  [/ IS excluded\.owner/g, " IS NOT DISTINCT FROM excluded.owner"],
  [/([\w.]+) IS NOT :(\w+)/g, `coalesce($1, ${noOwner}) <> coalesce(:$2, ${noOwner})`],
  [/([\w.]+) IS :(\w+)/g, `coalesce($1, ${noOwner}) = coalesce(:$2, ${noOwner})`],
];

/** Returns a statement of SQLite's as PostgreSQL has it. Every one of the store is prepared by a test. */
export function translateStatement(text: string): TranslatedStatement {
  const translated = differences.reduce((sql, [from, to]) => sql.replaceAll(from, to), text);
  const names: string[] = [];
  const numbered = translated.replaceAll(/(?<!:):([a-zA-Z]\w*)/g, (_, name: string) => {
    if (!names.includes(name)) names.push(name);
    return `$${names.indexOf(name) + 1}`;
  });
  return { text: numbered, names };
}
