import type { Route } from "../http/routes.ts";
import type { HeldRun } from "../runs/held-run.ts";

/** What the operator is told of a server that runs: figures at `/metrics`. */
export interface Operations {
  readonly routes: Readonly<Record<string, Route>>;
  /** Counts a run from its beginning to its end. */
  follow(run: HeldRun): void;
  /** Nothing is measured any more. */
  close(): void;
}

export function openOperations(): Operations {
  return { routes: {}, follow() {}, close() {} };
}
