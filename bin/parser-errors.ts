import { findNearest } from "../src/config/config-errors.ts";
import { DuetError } from "../src/kit/errors.ts";
import type { Text } from "../src/kit/locale.ts";
import { sanitizeLine, toShortLine } from "../src/kit/text/sanitize.ts";
import { type CommandRow, listOptions } from "./commands/command.ts";
import { chatOptions, type Option, serveOptions, sharedOptions } from "./options.ts";

/** Separates the kind of an error from its values in what yargs reports. It is in no argument of a command line. */
const separator = "\u0000";

/** Returns one text for both numbers. The published types know only texts without a plural. */
function markPlural(kind: string, ...values: string[]): string {
  const marked = [kind, ...values].join(separator);
  return { one: marked, other: marked } as unknown as string;
}

/** Replaces the texts of yargs by marks, from which `parserError` writes the message in both languages. */
export const markedTexts = {
  "Not enough non-option arguments: got %s, need at least %s": markPlural("too-few", "%s", "%s"),
  "Too many non-option arguments: got %s, maximum of %s": markPlural("too-many", "%s", "%s"),
  "Missing required argument: %s": markPlural("missing", "%s"),
  "Unknown argument: %s": markPlural("unknown", "%s"),
  "Unknown command: %s": markPlural("unknown", "%s"),
  "Argument: %s, Given: %s, Choices: %s": ["choice", "%s", "%s", "%s"].join(separator),
  // An empty text would be taken for an absent one.
  "Invalid values:": " ",
  "Not enough arguments following: %s": ["no-value", "%s"].join(separator),
};

/** Describes the command line in which the error was found. */
export interface FailedLine {
  words: readonly string[];
  /** Lists the options of the command with their dashes. */
  options: readonly string[];
  /** Maps an option without its dashes to the values that it may have. */
  choices: Readonly<Record<string, readonly string[] | undefined>>;
  /** Lists what may stand where the first unknown word stands. */
  commands: readonly string[];
  /** Is the name of the first command, where there is one. */
  command: string | undefined;
}

/** Finds the command that the words name, and returns what can be said of an error in them. */
export function describeFailedLine(words: readonly string[], table: readonly CommandRow[]): FailedLine {
  const path: CommandRow[] = [];
  let below: readonly CommandRow[] | undefined = table;
  for (const word of takePlainWords(words)) {
    const row: CommandRow | undefined = below?.find(({ name }) => name === word);
    if (row === undefined) break;
    path.push(row);
    below = row.commands;
  }
  const row = path.at(-1) ?? table.find(({ isDefault }) => isDefault);
  const command = row?.commands?.find(({ isDefault }) => isDefault) ?? row;
  const options = listOptions(command ?? {});
  return {
    words,
    options: ["--help", "--version", ...Object.keys(options).map((name) => `--${name}`)],
    choices: Object.fromEntries(Object.entries(options).map(([name, { choices }]) => [name, choices])),
    commands: (below ?? []).map(({ name }) => name),
    command: path[0]?.name,
  };
}

/** Leaves out options, and the values that follow them. */
function takePlainWords(words: readonly string[]): string[] {
  const withValues = new Set(settingOptions.flatMap(([name, { type }]) => (type === "string" ? [`--${name}`] : [])));
  return words.filter((word, index) => !word.startsWith("-") && !withValues.has(words[index - 1] ?? ""));
}

const settingOptions = Object.entries<Option>({ ...sharedOptions, ...chatOptions, ...serveOptions });

/** Returns the error for what yargs reports, which holds the marks above. */
export function parserError(reported: string, line: FailedLine): DuetError {
  const text = describeError(reported.trim(), line);
  return new DuetError({
    code: "config",
    text: { zh: `${sanitizeLine(text.zh)}（见 duet --help）`, en: `${sanitizeLine(text.en)} (see duet --help)` },
  });
}

/** Returns the error for a group of commands that does nothing by itself. */
export function missingCommandError(name: string, commands: readonly CommandRow[]): DuetError {
  const allowed = commands.map((row) => row.name).join(", ");
  return new DuetError({
    code: "config",
    text: {
      zh: `${name}：缺少后面的词（允许：${allowed}）（见 duet ${name} --help）`,
      en: `${name}: a word is missing after it (allowed: ${allowed}) (see duet ${name} --help)`,
    },
  });
}

function describeError(reported: string, line: FailedLine): Text {
  const [kind = "", first = "", second = "", third = ""] = reported.split(separator);
  if (kind === "choice") return describeChoice(first, second, third, line);
  if (kind === "unknown") return describeUnknown(first.split(", ")[0] ?? "", line);
  if (kind === "no-value") {
    const allowed = line.choices[first]?.join(", ");
    return {
      zh: `--${first}：缺少值${allowed === undefined ? "" : `（允许：${allowed}）`}`,
      en: `--${first}: the value is missing${allowed === undefined ? "" : ` (allowed: ${allowed})`}`,
    };
  }
  if (kind === "missing") return { zh: `缺少参数 ${first}`, en: `the argument ${first} is missing` };
  if (kind === "too-few")
    return {
      zh: `参数太少：给出 ${first} 个（允许：至少 ${second} 个）`,
      en: `too few arguments: ${first} given (allowed: at least ${second})`,
    };
  if (kind === "too-many")
    return {
      zh: `参数太多：给出 ${first} 个（允许：至多 ${second} 个）`,
      en: `too many arguments: ${first} given (allowed: at most ${second})`,
    };
  return { zh: reported, en: reported };
}

function describeChoice(name: string, given: string, allowed: string, { options }: FailedLine): Text {
  const values = allowed.replaceAll('"', "");
  const isOption = options.includes(`--${name}`);
  const where = isOption ? `--${name}` : name;
  return {
    zh: `${where}：不能是 ${given}（允许：${values}）`,
    en: `${where}: ${given} is not allowed (allowed: ${values})`,
  };
}

function describeUnknown(name: string, line: FailedLine): Text {
  const { words, options, commands, command } = line;
  const option = words.find((word) => word === `-${name}` || word.replace(/=.*$/s, "") === `--${name}`);
  const shown = toShortLine(option?.replace(/=.*$/s, "") ?? JSON.stringify(name), 80);
  const allowed = option !== undefined ? options : commands;
  const nearest = findNearest(name, allowed);
  const what =
    option === undefined
      ? { zh: "未知的命令或参数", en: "unknown command or argument" }
      : { zh: "未知的选项", en: "unknown option" };
  const list = allowed.join(", ");
  const advice = option === undefined ? describeQuotes(words, command, nearest === undefined ? 2 : 3) : none;
  return {
    zh: `${shown}：${what.zh}${nearest === undefined ? "" : `，是否想写 ${nearest}？`}${advice.zh}${list && `（允许：${list}）`}`,
    en: `${shown}: ${what.en}${nearest === undefined ? "" : `; did you mean ${nearest}?`}${advice.en}${list && ` (allowed: ${list})`}`,
  };
}

/** Says how a question is written, where there are so many words that they look like one. */
function describeQuotes(words: readonly string[], command: string | undefined, least: number): Text {
  if (command !== undefined && command !== "ask") return none;
  const plain = takePlainWords(words);
  const asked = command === "ask" ? plain.slice(1) : plain;
  if (asked.length < least) return none;
  const question = toShortLine(asked.join(" "), 60);
  const written = `duet ask ${JSON.stringify(question)}`;
  return { zh: `；问题要放在引号里：${written}`, en: `; a question goes in quotes: ${written}` };
}

const none: Text = { zh: "", en: "" };
