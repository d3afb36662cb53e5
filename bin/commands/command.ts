import type { Context } from "../../src/cli/console.ts";
import { type Option, sharedOptions } from "../options.ts";

/** Runs what a command line asks for and returns the exit code. */
export interface Action {
  (context: Context): Promise<number>;
  /** Is true when the action runs until a signal ends it. A SIGTERM is then no failure, and the exit code is 0. */
  endsBySignal?: boolean;
  /** Is true when the action decides itself how long its shutdown may take after a signal. */
  hasOwnGrace?: boolean;
}

/** Takes what the command line asks for. */
export type SetAction = (action: Action) => void;

/** Converts the options of a command to the form that yargs expects: its own and those that all commands share. */
export function toYargsOptions(own: Record<string, Option> = {}) {
  const all: Record<string, Option> = { ...sharedOptions, ...own };
  return Object.fromEntries(
    Object.entries(all).map(([name, option]) => [name, { ...option, requiresArg: option.type === "string" }]),
  );
}

export function createOutputOption(...choices: string[]): Option {
  return { type: "string", describe: "output format", choices };
}

export const textOrJson = { output: createOutputOption("text", "json") };

export const yes: Option = { type: "boolean", describe: "does not ask first" };
