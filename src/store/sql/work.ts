/** Holds what a statement is bound to, by the names in its text. */
export type Values = Readonly<Record<string, Value>>;

export type Value = string | number | Uint8Array | null;

export type Row = Record<string, unknown>;

/** Is a statement of SQL with named parameters. Each method gives it to the engine and returns what that answers. */
export interface Statement {
  readonly text: string;
  /** Returns the first row. */
  get(values?: Values): Work<Row | undefined>;
  all(values?: Values): Work<Row[]>;
  /** Returns how many rows were changed. */
  run(values?: Values): Work<number>;
  /** Runs the statement for each of the values, in order. Returns how many rows were changed by all. */
  runEach(values: readonly Values[]): Work<number>;
}

/**
 * Is the work of one transaction. It is a generator that yields each of its steps, so that an engine which answers at once does all of
 * it without a wait, and one behind a socket waits for each answer.
 */
export type Work<T> = Generator<WorkStep, T, WorkAnswer>;

export type WorkStep = Query | Lock;

export interface Query {
  readonly statement: Statement;
  readonly wants: "row" | "rows" | "changes";
  /** Holds several only where changes are wanted: the statement is run for each. */
  readonly values: Values | readonly Values[];
}

/** Asks to be alone with what has this name until the transaction ends. */
export interface Lock {
  readonly lock: string;
}

export interface WorkAnswer {
  readonly rows: Row[];
  readonly changes: number;
}

/** Defines a statement. Its text is SQLite's, of the part that `postgres/translate.ts` can translate. */
export function defineStatement(text: string): Statement {
  const statement: Statement = {
    text,
    *get(values = {}) {
      return (yield { statement, wants: "row", values }).rows[0];
    },
    *all(values = {}) {
      return (yield { statement, wants: "rows", values }).rows;
    },
    *run(values = {}) {
      return (yield { statement, wants: "changes", values }).changes;
    },
    *runEach(values) {
      return (yield { statement, wants: "changes", values }).changes;
    },
  };
  return statement;
}

/**
 * Waits until no other transaction works on what has this name, such as `conversation ID`. What is read before may be old by then, so
 * it comes first. An engine that runs one writing transaction at a time passes over it.
 */
export function* lock(name: string): Work<void> {
  yield { lock: name };
}

/** Returns what a step binds, once for each time that its statement is run. */
export function listBindings(values: Query["values"]): readonly Values[] {
  return isList(values) ? values : [values];
}

function isList(values: Query["values"]): values is readonly Values[] {
  return Array.isArray(values);
}
