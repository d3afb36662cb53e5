import type { Context } from "../../src/cli/console.ts";

/** What a command line asks for; gives the exit code. */
export type Action = (context: Context) => Promise<number>;
