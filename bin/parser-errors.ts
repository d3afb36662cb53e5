import type { Argv } from "yargs";
import { findNearest } from "../src/config/config-errors.ts";
import { DuetError } from "../src/kit/errors.ts";
import type { Text } from "../src/kit/locale.ts";
import { sanitizeLine, toShortLine } from "../src/kit/text/sanitize.ts";

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
  choices: Readonly<Record<string, readonly unknown[]>>;
  commands: readonly string[];
}

/** Names what the published types of yargs leave out. */
interface WholeParser {
  getOptions(): { key: Record<string, unknown>; choices: Record<string, unknown[]> };
  getGroups(): Record<string, string[]>;
  getInternalMethods(): { getCommandInstance(): { getCommands(): string[] } };
}

/** Lists the commands of a parser that has not begun to read. */
export function listCommands(parser: Argv): string[] {
  return (parser as unknown as WholeParser).getInternalMethods().getCommandInstance().getCommands();
}

/** Returns what yargs knows of the command that it was reading. `commands` are those of the first word. */
export function describeFailedLine(parser: Argv, words: readonly string[], commands: readonly string[]): FailedLine {
  const whole = parser as unknown as WholeParser;
  const { key, choices } = whole.getOptions();
  const positionals = whole.getGroups()["Positionals:"] ?? [];
  const names = Object.keys(key).filter((name) => name.length > 1 && !positionals.includes(name));
  return { words, options: names.map((name) => `--${name}`), choices, commands };
}

/** Returns the error for what yargs reports, which holds the marks above. */
export function parserError(reported: string, line: FailedLine): DuetError {
  const text = describeError(reported.trim(), line);
  return new DuetError({
    code: "config",
    text: { zh: `${sanitizeLine(text.zh)}（见 duet --help）`, en: `${sanitizeLine(text.en)} (see duet --help)` },
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

function describeUnknown(name: string, { words, options, commands }: FailedLine): Text {
  const option = words.find((word) => word === `-${name}` || word.replace(/=.*$/s, "") === `--${name}`);
  const shown = toShortLine(option?.replace(/=.*$/s, "") ?? JSON.stringify(name), 80);
  const allowed = option !== undefined ? options : name === words[0] ? commands : [];
  const nearest = findNearest(name, allowed);
  const what =
    option === undefined
      ? { zh: "未知的命令或参数", en: "unknown command or argument" }
      : { zh: "未知的选项", en: "unknown option" };
  const list = allowed.join(", ");
  return {
    zh: `${shown}：${what.zh}${nearest === undefined ? "" : `，是否想写 ${nearest}？`}${list && `（允许：${list}）`}`,
    en: `${shown}: ${what.en}${nearest === undefined ? "" : `; did you mean ${nearest}?`}${list && ` (allowed: ${list})`}`,
  };
}
