import type { Context } from "../../src/cli/console.ts";

/** Runs what a command line asks for and returns the exit code. */
export interface Action {
  (context: Context): Promise<number>;
  /** Is true when the action runs until it is told to end. A SIGTERM is then no failure, and the exit code is 0. */
  endsBySignal?: boolean;
  /** Is true when the action decides itself how long its shutdown may take after a signal. */
  hasOwnGrace?: boolean;
}
