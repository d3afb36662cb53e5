import type { Context } from "../../src/cli/console.ts";

/** What a command line asks for; gives the exit code. */
export interface Action {
  (context: Context): Promise<number>;
  /** Whether it goes on until it is told to end, so that a SIGTERM is no failure: exit code 0. */
  endsBySignal?: boolean;
  /** Whether it decides itself how long its end may take after a signal. */
  hasOwnGrace?: boolean;
}
