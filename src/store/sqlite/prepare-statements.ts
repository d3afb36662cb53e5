import type { DatabaseSync, StatementSync } from "node:sqlite";
import { listValues, numberParameters } from "../sql/number-parameters.ts";
import { statements } from "../sql/statements/statements.ts";
import { listBindings, type Query, type Row, type Statement, type Work, type WorkAnswer } from "../sql/work.ts";
import { fileStatements } from "./space.ts";

/** Holds the statements of the store as they are prepared for one file. */
export interface PreparedStatements {
  get(statement: Statement): PreparedStatement | undefined;
}

interface PreparedStatement {
  prepared: StatementSync;
  /** Lists what its parameters are bound to, in order. */
  names: readonly string[];
}

function prepareStatement(database: DatabaseSync, statement: Statement): PreparedStatement {
  const { text, names } = numberParameters(statement.text, "?");
  return { prepared: database.prepare(text), names };
}

/** Prepares every statement of the store, under its name. */
export function prepareStatements(database: DatabaseSync): Record<string, PreparedStatement> {
  const all = Object.entries({ ...statements, ...fileStatements });
  return Object.fromEntries(all.map(([name, statement]) => [name, prepareStatement(database, statement)]));
}

/** Prepares each statement when it is first run. All of them take some milliseconds, and a command runs a few. */
export function prepareWork(database: DatabaseSync): PreparedStatements {
  const all = new Map<Statement, PreparedStatement>();
  return {
    get(statement) {
      const known = all.get(statement);
      if (known !== undefined) return known;
      const made = prepareStatement(database, statement);
      all.set(statement, made);
      return made;
    },
  };
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
