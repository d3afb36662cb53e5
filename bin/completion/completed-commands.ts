import { type Locale, say } from "../../src/kit/locale.ts";
import { type CommandRow, listOptions } from "../commands/command.ts";
import type { CompletionKind, Option } from "../options.ts";

/** Says what a shell offers: fixed words, or what it finds when it is asked. `none` is a value that only the person knows. */
export type Values = readonly string[] | CompletionKind | "none";

export interface CompletedOption {
  /** Is the name with its dashes. */
  readonly flag: string;
  /** Is the letter without its dash. */
  readonly short: string | undefined;
  readonly help: string;
  /** Is absent for a switch. */
  readonly values: Values | undefined;
}

/** Holds what may follow the words of one command. */
export interface CompletedCommand {
  /** Holds the words with a blank before each; empty for the program itself. */
  readonly path: string;
  readonly commands: readonly { readonly name: string; readonly help: string }[];
  readonly options: readonly CompletedOption[];
  /** Lists what the arguments may be, in their order. */
  readonly positionals: readonly Values[];
  /** Is true when the last argument may come again. */
  readonly repeatsLast: boolean;
}

/** Lists all commands, the program itself first. A group offers the options of the command that is meant without its name. */
export function listCompletedCommands(table: readonly CommandRow[], locale: Locale): CompletedCommand[] {
  return [...complete({ name: "", help: { zh: "", en: "" }, commands: table }, "", locale)];
}

function complete(row: CommandRow, path: string, locale: Locale): CompletedCommand[] {
  const { commands = [] } = row;
  const shown = commands.find(({ isDefault }) => isDefault) ?? row;
  const { positionals = [] } = commands.length === 0 ? row : { positionals: [] };
  const mine: CompletedCommand = {
    path,
    commands: commands.map(({ name, help }) => ({ name, help: say(locale, help) })),
    options: [
      { flag: "--help", short: "h", help: say(locale, { zh: "显示帮助", en: "show help" }), values: undefined },
      {
        flag: "--version",
        short: "v",
        help: say(locale, { zh: "显示版本", en: "show the version" }),
        values: undefined,
      },
      ...Object.entries(listOptions(shown)).map(([name, option]) => completeOption(name, option, locale)),
    ],
    positionals: positionals.map(({ choices, completes }) => choices ?? completes ?? "none"),
    repeatsLast: positionals.at(-1)?.isRepeated === true,
  };
  return [mine, ...commands.flatMap((below) => complete(below, `${path} ${below.name}`, locale))];
}

function completeOption(name: string, option: Option, locale: Locale): CompletedOption {
  const { type, describe, choices, completes, alias } = option;
  return {
    flag: `--${name}`,
    short: alias,
    help: say(locale, describe),
    values: type === "boolean" ? undefined : (choices ?? completes ?? "none"),
  };
}

/** Groups the options that take a value by what it may be, each with the commands that have it so. */
export function groupValues(
  commands: readonly CompletedCommand[],
): { flag: string; paths: string[]; values: Values }[] {
  const groups = new Map<string, { flag: string; paths: string[]; values: Values }>();
  for (const { path, options } of commands)
    for (const { flag, values } of options) {
      if (values === undefined) continue;
      const key = JSON.stringify([flag, values]);
      const known = groups.get(key);
      if (known) known.paths.push(path);
      else groups.set(key, { flag, paths: [path], values });
    }
  return [...groups.values()];
}

/** Lists the options after which the next word is a value. */
export function listValuedFlags(commands: readonly CompletedCommand[]): string[] {
  return [...new Set(groupValues(commands).map(({ flag }) => flag))];
}

/** Lists the arguments by their position, with what they may be; what only the person knows is left out. */
export function listPositionals({ positionals, repeatsLast }: CompletedCommand): { place: string; values: Values }[] {
  return positionals
    .map((values, index) => ({ place: repeatsLast && index === positionals.length - 1 ? "*" : `${index}`, values }))
    .filter(({ values }) => values !== "none");
}

/** Says how a shell writes a word, and what it offers. */
export interface ShellWords {
  quote(text: string): string;
  offer(values: Values): string;
}

/** Renders the cases of `$at:$prev`, in which the word before names an option: bash and zsh write them alike. */
export function renderValueCases(commands: readonly CompletedCommand[], { quote, offer }: ShellWords): string[] {
  return groupValues(commands).map(({ flag, paths, values }) => {
    const places = paths.map((path) => quote(`${path}:${flag}`));
    return `    ${places.join("|")}) ${offer(values)}; return ;;`;
  });
}

/** Renders the cases of `$at:$count`, in which an argument stands. */
export function renderPlaceCases(commands: readonly CompletedCommand[], { quote, offer }: ShellWords): string[] {
  return commands.flatMap((command) =>
    listPositionals(command).map(
      ({ place, values }) => `    ${quote(`${command.path}:`)}${place}) ${offer(values)} ;;`,
    ),
  );
}

/** Renders the pattern of all commands, with the words before them. */
export function renderPaths(commands: readonly CompletedCommand[], { quote }: Pick<ShellWords, "quote">): string {
  return commands
    .slice(1)
    .map(({ path }) => quote(path))
    .join("|");
}
