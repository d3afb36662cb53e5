import yargs, { type Argv } from "yargs";
import { DuetError } from "../src/kit/errors.ts";
import { type Locale, say, type Text } from "../src/kit/locale.ts";
import { version } from "../src/kit/version.ts";
import { type Action, type CommandRow, type Positional, toYargsOptions } from "./commands/command.ts";
import { commandTable } from "./commands/command-table.ts";
import { describeFailedLine, markedTexts, missingCommandError, parserError } from "./parser-errors.ts";
import { takeRepeated } from "./read-options.ts";

/**
 * Returns the action that the command line asks for; to show help or the version is one, too. Help is in `locale`. Throws
 * `config` errors.
 */
export async function readCommandLine(argv: string[], locale: Locale = "en"): Promise<Action | undefined> {
  let action: Action | undefined;
  const end = argv.indexOf("--");
  const words = end < 0 ? argv : argv.slice(0, end);
  /** Everything after `--` is a question, whatever it begins with. */
  const rest = end < 0 ? undefined : argv.slice(end + 1).join(" ");
  const { single, values: files } = takeRepeated(words, "file");
  const parser = yargs(single)
    .scriptName("duet")
    .usage(`$0 ${say(locale, usage)}\n\n${say(locale, about)}`)
    .help("help", say(locale, helpTexts.help))
    .alias("help", "h")
    .version("version", say(locale, helpTexts.version), version)
    .alias("version", "v")
    .locale("en")
    .updateStrings({ ...(locale === "zh" ? chineseWords : {}), ...markedTexts })
    .parserConfiguration({
      "boolean-negation": false,
      "dot-notation": false,
      "camel-case-expansion": false,
      "duplicate-arguments-array": false,
    });
  for (const row of commandTable)
    addCommand(parser, row, locale, (asked, values) => {
      action = asked({ ...values, rest, files });
    });
  parser
    .strict()
    .exitProcess(false)
    .fail((message, error) => {
      throw error instanceof DuetError
        ? error
        : parserError(message ?? error.message, describeFailedLine(words, commandTable));
    });
  await parser.parseAsync(single, {}, (_error, _values, output) => {
    // Help or the version, which were asked for. By itself the parser would write them to the console, and that is stderr here.
    if (output === "") return;
    action = async ({ console }) => {
      console.stdout.write(`${output}\n`);
      return 0;
    };
  });
  return action;
}

type SetAction = (run: NonNullable<CommandRow["run"]>, values: Record<string, unknown>) => void;

function addCommand(parser: Argv, row: CommandRow, locale: Locale, setAction: SetAction): void {
  const { commands, positionals = [], run } = row;
  const words = [row.name, ...positionals.map(renderPositional)].join(" ");
  parser.command(
    row.isDefault ? [words, "$0"] : words,
    say(locale, row.help),
    (own) => {
      for (const below of commands ?? []) addCommand(own, below, locale, setAction);
      // Without it yargs keeps only the last of several.
      if (positionals.some(({ isRepeated }) => isRepeated))
        own.parserConfiguration({ "duplicate-arguments-array": true });
      for (const { name, help, isRequired, isRepeated, choices } of positionals)
        own.positional(name, {
          type: "string",
          ...(help && { describe: say(locale, help) }),
          ...(choices && { choices }),
          ...(isRepeated && { array: true }),
          ...(isRequired && { demandOption: true }),
        });
      return commands ? own : own.options(toYargsOptions(row, locale));
    },
    (values) => {
      if (run) setAction(run, values);
      else if (commands?.every(({ isDefault }) => !isDefault)) throw missingCommandError(row.name, commands);
    },
  );
}

/** Renders what follows a command: `<id>`, `[json]`, `<ids..>`. */
function renderPositional({ name, isRequired, isRepeated }: Positional): string {
  const shown = `${name}${isRepeated ? ".." : ""}`;
  return isRequired ? `<${shown}>` : `[${shown}]`;
}

const usage: Text = { zh: "[命令] [选项]", en: "[command] [options]" };
const about: Text = {
  zh: "由两个模型组成的智能体：便宜的选择工具，强的写回答。",
  en: "An agent of two models: a cheap one picks the tools, a strong one writes the answer.",
};
const helpTexts = {
  help: { zh: "显示帮助", en: "show help" },
  version: { zh: "显示版本", en: "show the version" },
} satisfies Record<string, Text>;

/** Holds the words of the parser's own layout of help. */
const chineseWords = {
  "Commands:": "命令：",
  "Options:": "选项：",
  "Positionals:": "参数：",
  command: "命令",
  boolean: "开关",
  string: "值",
  array: "可多个",
  required: "必填",
  default: "默认",
  "choices:": "可选：",
};
