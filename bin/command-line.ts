import yargs from "yargs/yargs";
import type { AskRequest } from "../src/app/ask-request.ts";
import { type Console, writeLine } from "../src/cli/console.ts";
import { findChosenConversation } from "../src/cli/conversations/chosen-conversation.ts";
import { type DuetContext, loadWithState, withDuet } from "../src/cli/with-duet.ts";
import type { Config } from "../src/config/config.ts";
import type { AnswerForm } from "../src/core/answer-form.ts";
import { DuetError } from "../src/kit/errors.ts";
import { version } from "../src/kit/version.ts";
import { serveEditor } from "./commands/acp.ts";
import { chat } from "./commands/chat.ts";
import { type Action, createOutputOption, textOrJson, toYargsOptions } from "./commands/command.ts";
import { addConfigCommands } from "./commands/config.ts";
import { addConversationsCommands, showTrace } from "./commands/conversations.ts";
import { addInstallOptions, install } from "./commands/install.ts";
import { addPromptsCommands } from "./commands/prompts.ts";
import { startServer } from "./commands/serve.ts";
import { addToolsCommands } from "./commands/tools.ts";
import {
  askOptions,
  chatOptions,
  editorOptions,
  readAgent,
  readConversationChoice,
  readMode,
  readOutputFormat,
  serveOptions,
  takeRepeated,
  toFlags,
  toOptionText,
  toTexts,
  type Values,
} from "./options.ts";
import { describeFailedLine, listCommands, markedTexts, parserError } from "./parser-errors.ts";

/**
 * Returns the action that the command line asks for; to show help or the version is one, too. Throws `config` errors.
 */
export async function readCommandLine(argv: string[]): Promise<Action | undefined> {
  let action: Action | undefined;
  const setAction = (asked: Action): void => {
    action = asked;
  };
  const end = argv.indexOf("--");
  const words = end < 0 ? argv : argv.slice(0, end);
  /** Everything after `--` is a question, whatever it begins with. */
  const rest = end < 0 ? undefined : argv.slice(end + 1).join(" ");
  const { single, values: files } = takeRepeated(words, "file");
  const parser = yargs(single);
  parser
    .scriptName("duet")
    .usage(
      "$0 [command] [options]\n\nAn agent of two models: a cheap one picks the tools, a strong one writes the answer.",
    )
    .version(version)
    .locale("en")
    .updateStrings(markedTexts)
    .parserConfiguration({
      "boolean-negation": false,
      "dot-notation": false,
      "camel-case-expansion": false,
      "duplicate-arguments-array": false,
    })
    .command(
      ["chat", "$0"],
      "terminal chat (the default)",
      (it) => it.options(toYargsOptions(chatOptions)),
      (values) => setAction(chat(values)),
    )
    .command(
      "ask [question]",
      "one question; the answer on stdout, everything else on stderr (- or a pipe: the question from stdin)",
      (it) =>
        it.positional("question", { type: "string" }).options(
          toYargsOptions({
            ...askOptions,
            schema: { type: "string", describe: "a file with a JSON Schema: the answer is JSON that matches it" },
            output: createOutputOption("text", "json", "jsonl"),
            drafts: {
              type: "boolean",
              describe: "with --output jsonl: also text that may still turn out to be a thought",
            },
          }),
        ),
      (values) => setAction(ask({ ...values, question: values.question ?? rest, files })),
    )
    .command(
      "serve",
      "MCP server over stdio, or over HTTP with --http",
      (it) => it.options(toYargsOptions(serveOptions)),
      (values) => setAction(startServer(values)),
    )
    .command(
      "acp",
      "an agent for editors (Agent Client Protocol, over stdio)",
      (it) => it.options(toYargsOptions(editorOptions)),
      (values) => setAction(serveEditor(values)),
    )
    .command("tools", "the tools of the agent", (it) => addToolsCommands(it, setAction))
    .command("conversations", "the saved conversations", (it) => addConversationsCommands(it, setAction))
    .command("config", "the effective configuration", (it) => addConfigCommands(it, setAction))
    .command(
      "models",
      "the models in use: wire, limits, context window, price, and where each value comes from",
      (it) => it.options(toYargsOptions(textOrJson)),
      (values) => setAction(runModels(values)),
    )
    .command("prompts", "the prompts that the models get", (it) => addPromptsCommands(it, setAction))
    .command(
      "trace [run]",
      "the trace of a run, step by step (default: the last run)",
      (it) => it.positional("run", { type: "string" }).options(toYargsOptions(textOrJson)),
      (values) => setAction(showTrace(values)),
    )
    .command(
      "login <server>",
      "sign in to a remote server in the browser",
      (it) =>
        it
          .positional("server", { type: "string", demandOption: true })
          .options(toYargsOptions({ remove: { type: "boolean", describe: "delete the sign-in" } })),
      (values) => setAction(runSignIn(values)),
    )
    .command(
      "install [host]",
      "adds Duet to a host: shows the change to its file, asks, keeps a backup; without a host or with --list, lists the hosts",
      (it) => addInstallOptions(it),
      (values) => setAction(install(values)),
    )
    .command(
      "doctor",
      "checks configuration, keys, models and servers: what is wrong and what to do",
      (it) => it.options(toYargsOptions(textOrJson)),
      (values) => setAction(diagnose(values)),
    )
    .strict()
    .exitProcess(false)
    .fail((message, error) => {
      throw error instanceof DuetError
        ? error
        : parserError(message ?? error.message, describeFailedLine(parser, words, commands));
    });
  const commands = listCommands(parser);
  await parser.parseAsync(words, {}, (_error, _values, output) => {
    // Help or the version, which were asked for. By itself the parser would write them to the console, and that is stderr here.
    if (output === "") return;
    setAction(async ({ console }) => {
      console.stdout.write(`${output}\n`);
      return 0;
    });
  });
  return action;
}

/** Signs in to a remote server, or deletes its credentials. No other server is opened. */
export function runSignIn(values: Values): Action {
  return async ({ console, signal }) => {
    const [config, { runLogin, runLogout }] = await Promise.all([
      loadWithState(toFlags(values), console),
      import("../src/cli/login.ts"),
    ]);
    const command = { config, server: toOptionText(values.server) ?? "", console, signal };
    return values.remove === true ? runLogout(command) : runLogin(command);
  };
}

/** Shows the models in use. */
export function runModels(values: Values): Action {
  return async ({ console }) => {
    const { runModelsCommand } = await import("../src/cli/models-command.ts");
    const write = (lines: string) => void console.stdout.write(lines);
    await runModelsCommand({ flags: toFlags(values), output: readOutputFormat(values), write });
    return 0;
  };
}

/** Checks configuration, keys, models and servers; a line each. */
export function diagnose(values: Values): Action {
  return async (context) => {
    const { runDoctorCommand } = await import("../src/cli/doctor/doctor-command.ts");
    return runDoctorCommand({ ...context, flags: toFlags(values), output: readOutputFormat(values) });
  };
}

/** Reads the files of `--file`. Throws a `config` error for one that cannot be attached: nobody is there to go on without it. */
async function withNamedFiles(
  question: string,
  files: readonly string[],
  opened: Pick<DuetContext, "config" | "console" | "signal">,
): Promise<Pick<AskRequest, "question" | "attachments">> {
  const [{ attachCommandFiles }, { getProgramPaths }] = await Promise.all([
    import("../src/cli/files/attach-command-files.ts"),
    import("../src/config/load-config.ts"),
  ]);
  const { home, directory: cwd } = getProgramPaths();
  return attachCommandFiles(question, files, { ...opened, cwd, home });
}

/** Answers one question. */
function ask(values: Values): Action {
  const choice = readConversationChoice(values);
  const flags = toFlags(values);
  return async (context) => {
    if (context.console.stderr.isTTY) {
      const { writeFirstConfig } = await import("../src/cli/first-start/first-config.ts");
      const line = await writeFirstConfig(flags);
      if (line !== undefined) writeLine(context.console, line);
    }
    if (values.drafts === true && values.output !== "jsonl") throw draftsWithoutLinesError();
    // A schema that cannot be used is said before anything is opened.
    const answerForm = await readSchemaFile(toOptionText(values.schema));
    return withDuet(flags, context, async ({ duet, config, console, signal }) => {
      const [{ readQuestion, runAsk }, { canShowHyperlinks }] = await Promise.all([
        import("../src/cli/ask.ts"),
        import("../src/cli/terminal/text/hyperlink.ts"),
      ]);
      const files = toTexts(values.files);
      const given = toOptionText(values.question);
      const question = files.includes("-") ? (given?.trim() ?? "") : await readQuestion(given, console);
      if (question === "" || question === "-") throw missingQuestionError();
      const asked =
        files.length === 0 ? { question } : await withNamedFiles(question, files, { config, console, signal });
      const { output } = values;
      const conversationId = await findChosenConversation(choice, { duet, config });
      const { readTrustedInstructions } = await import("../src/cli/instructions/folder-instructions.ts");
      const write = (line: string): void => writeLine(console, line);
      const folderInstructions = await readTrustedInstructions({ config, locale: duet.localeFor(question), write });
      return runAsk({
        duet,
        console,
        request: {
          ...asked,
          ...{
            conversationId,
            folderInstructions,
            mode: readMode(values),
            agent: readAgent(values, duet)?.name,
            answerForm,
            signal,
          },
        },
        output: output === "json" || output === "jsonl" ? output : "text",
        drafts: output === "jsonl" ? values.drafts === true : canShowLiveLine(console, config),
        verbose: config.agent.verbose,
        hyperlinks: canShowHyperlinks(console.stdout, config.environment, values["no-color"] !== true),
      });
    });
  };
}

async function readSchemaFile(file: string | undefined): Promise<AnswerForm | undefined> {
  if (file === undefined) return undefined;
  const { openSchemaFile } = await import("../src/cli/schema-file.ts");
  return openSchemaFile(file);
}

/** Text that can be taken back is shown where the cursor can move. */
function canShowLiveLine({ stderr }: Console, { environment, terminal }: Config): boolean {
  return stderr.isTTY === true && environment.TERM !== "dumb" && !terminal.screenReader;
}

function draftsWithoutLinesError(): DuetError {
  return new DuetError({
    code: "config",
    text: {
      zh: "--drafts 只用于 --output jsonl（允许：--output jsonl --drafts）",
      en: "--drafts is for --output jsonl alone (allowed: --output jsonl --drafts)",
    },
  });
}

function missingQuestionError(): DuetError {
  return new DuetError({
    code: "config",
    text: {
      zh: '没有给出问题（允许：duet ask "问题"，或从标准输入给出）',
      en: 'no question given (allowed: duet ask "question", or the question on stdin)',
    },
  });
}
