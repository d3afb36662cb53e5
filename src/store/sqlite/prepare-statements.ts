import type { DatabaseSync, StatementSync } from "node:sqlite";
import { statements } from "../sql/statements/statements.ts";
import type { Query, Statement, Work, WorkAnswer } from "../sql/work.ts";
import { fileStatements } from "./space.ts";

/** Holds every statement of the store as it is prepared for one file. */
export type PreparedStatements = ReadonlyMap<Statement, StatementSync>;

/** Prepares every statement of the store once, under its name. */
export function prepareStatements(database: DatabaseSync): Record<string, StatementSync> {
  const all = Object.entries({ ...statements, ...fileStatements });
  return Object.fromEntries(all.map(([name, { text }]) => [name, database.prepare(text)]));
}

export function prepareWork(database: DatabaseSync): PreparedStatements {
  const prepared = prepareStatements(database);
  const all = Object.entries({ ...statements, ...fileStatements });
  return new Map(all.flatMap(([name, statement]) => (prepared[name] ? [[statement, prepared[name]]] : [])));
}

/** Does all steps of a work at once. The transaction it runs in is alone with the whole file, so that locks are there already. */
export function runWork<T>(work: Work<T>, prepared: PreparedStatements): T {
  let step = work.next(nothing);
  while (!step.done) step = work.next("lock" in step.value ? nothing : execute(step.value, prepared));
  return step.value;
}

const nothing: WorkAnswer = { rows: [], changes: 0 };

function execute({ statement, wants, values }: Query, prepared: PreparedStatements): WorkAnswer {
  const found = prepared.get(statement);
  if (found === undefined) throw new Error(`a statement that is not prepared: ${statement.text}`);
  if (wants === "changes") return { rows: [], changes: Number(found.run(values).changes) };
  if (wants === "rows") return { rows: found.all(values), changes: 0 };
  const row = found.get(values);
  return { rows: row === undefined ? [] : [row], changes: 0 };
}
