import type { DatabaseSync, StatementSync } from "node:sqlite";
import { listValues, numberParameters } from "../sql/number-parameters.ts";
import { statements } from "../sql/statements/statements.ts";
import { listBindings, type Query, type Row, type Statement, type Work, type WorkAnswer } from "../sql/work.ts";
import { fileStatements } from "./space.ts";

/** Holds every statement of the store as it is prepared for one file. */
export type PreparedStatements = ReadonlyMap<Statement, PreparedStatement>;

interface PreparedStatement {
  prepared: StatementSync;
  /** Lists what its parameters are bound to, in order. */
  names: readonly string[];
}

/** Prepares every statement of the store once, under its name. */
export function prepareStatements(
  database: DatabaseSync,
): Record<string, PreparedStatement & { statement: Statement }> {
  const all = Object.entries({ ...statements, ...fileStatements }).map(([name, statement]) => {
    const { text, names } = numberParameters(statement.text, "?");
    return [name, { statement, prepared: database.prepare(text), names }] as const;
  });
  return Object.fromEntries(all);
}

export function prepareWork(database: DatabaseSync): PreparedStatements {
  const all = Object.values(prepareStatements(database));
  return new Map(all.map(({ statement, ...prepared }) => [statement, prepared]));
}

/** Does all steps of a work at once. The transaction it runs in is alone with the whole file, so that locks are there already. */
export function runWork<T>(work: Work<T>, prepared: PreparedStatements): T {
  let step = work.next(nothing);
  while (!step.done) step = work.next("lock" in step.value ? nothing : execute(step.value, prepared));
  return step.value;
}

const nothing: WorkAnswer = { rows: [], changes: 0 };

function execute({ statement, wants, values }: Query, all: PreparedStatements): WorkAnswer {
  const found = all.get(statement);
  if (found === undefined) throw new Error(`a statement that is not prepared: ${statement.text}`);
  const { prepared, names } = found;
  let [rows, changes]: [Row[], number] = [[], 0];
  for (const each of listBindings(values)) {
    const bound = listValues(names, each);
    if (wants === "changes") changes += Number(prepared.run(...bound).changes);
    else rows = wants === "rows" ? prepared.all(...bound) : listRow(prepared.get(...bound));
  }
  return { rows, changes };
}

function listRow(row: Row | undefined): Row[] {
  return row === undefined ? [] : [row];
}
