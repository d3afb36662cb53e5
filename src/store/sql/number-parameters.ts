import type { Value, Values } from "./work.ts";

/** Is a statement whose parameters are numbers, and the names of what they are bound to, in order. */
export interface NumberedStatement {
  text: string;
  names: readonly string[];
}

/** Writes numbers in the place of named parameters: `:id` becomes `?1` or `$1`. SQLite binds numbers in half the time. */
export function numberParameters(text: string, sign: "?" | "$"): NumberedStatement {
  const names: string[] = [];
  const numbered = text.replaceAll(/(?<!:):([a-zA-Z]\w*)/g, (_, name: string) => {
    if (!names.includes(name)) names.push(name);
    return `${sign}${names.indexOf(name) + 1}`;
  });
  return { text: numbered, names };
}

/** Returns what the parameters are bound to, in order. Throws where a name is bound to nothing. */
export function listValues(names: readonly string[], values: Values): Value[] {
  return names.map((name) => {
    const value = values[name];
    if (value === undefined) throw new Error(`nothing is bound to :${name}`);
    return value;
  });
}
