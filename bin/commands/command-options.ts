import type { Action } from "../actions/action.ts";
import { type Option, sharedOptions } from "../options.ts";

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
