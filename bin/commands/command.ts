import type { Context } from "../../src/cli/console.ts";
import { type Locale, say, type Text } from "../../src/kit/locale.ts";
import { type CompletionKind, type Option, sharedOptions } from "../options.ts";
import type { Values } from "../read-options.ts";

/** Runs what a command line asks for and returns the exit code. */
export interface Action {
  (context: Context): Promise<number>;
  /** Is true when the action runs until a signal ends it. A SIGTERM is then no failure, and the exit code is 0. */
  endsBySignal?: boolean;
  /** Is true when the action decides itself how long its shutdown may take after a signal. */
  hasOwnGrace?: boolean;
}

/**
 * Describes a command. The parser, the help in both languages and the completion of shells derive from the rows of
 * `command-table.ts`.
 */
export interface CommandRow {
  readonly name: string;
  readonly help: Text;
  /** Is true for the command that is meant where its name is left out. */
  readonly isDefault?: boolean;
  readonly positionals?: readonly Positional[];
  /** Holds the options of the command alone, beside those that all commands have. */
  readonly options?: Readonly<Record<string, Option>>;
  /** Lists the commands below this one, which then does nothing by itself. */
  readonly commands?: readonly CommandRow[];
  readonly run?: (values: Values) => Action;
}

export interface Positional {
  readonly name: string;
  readonly help?: Text;
  readonly isRequired?: boolean;
  /** Is true for the last one where several may be given. */
  readonly isRepeated?: boolean;
  readonly choices?: readonly string[];
  readonly completes?: CompletionKind;
}

/** Returns the options that a command has, those that all commands share first. */
export function listOptions({ options }: Pick<CommandRow, "options">): Readonly<Record<string, Option>> {
  return { ...sharedOptions, ...options };
}

/** Converts the options of a command to the form that yargs expects. */
export function toYargsOptions(row: Pick<CommandRow, "options">, locale: Locale) {
  return Object.fromEntries(
    Object.entries(listOptions(row)).map(([name, { type, describe, choices, alias }]) => [
      name,
      {
        ...{ type, requiresArg: type === "string", describe: say(locale, describe) },
        ...(choices && { choices }),
        ...(alias && { alias }),
      },
    ]),
  );
}

export function createOutputOption(...choices: string[]): Option {
  return { type: "string", describe: { zh: "输出格式", en: "output format" }, choices };
}

export const textOrJson = { output: createOutputOption("text", "json") };

export const yes: Option = { type: "boolean", describe: { zh: "不先询问", en: "does not ask first" } };
