import yargs from "yargs/yargs";
import { DuetError } from "../src/kit/errors.ts";
import { version } from "../src/kit/version.ts";
import type { Action } from "./actions/action.ts";
import { ask } from "./actions/ask.ts";
import { chat } from "./actions/chat.ts";
import { showTrace } from "./actions/conversations.ts";
import { diagnose } from "./actions/doctor.ts";
import { install } from "./actions/install.ts";
import { runSignIn } from "./actions/login.ts";
import { runModels } from "./actions/models.ts";
import { startServer } from "./actions/serve.ts";
import { createOutputOption, textOrJson, toYargsOptions } from "./commands/command-options.ts";
import { addConfigCommands } from "./commands/config.ts";
import { addConversationsCommands } from "./commands/conversations.ts";
import { addInstallOptions } from "./commands/install.ts";
import { addToolsCommands } from "./commands/tools.ts";
import { chatOptions, conversationOptions, serveOptions } from "./options.ts";

/**
 * Returns the action that the command line asks for, or undefined when yargs has answered itself (`--help`, `--version`). Throws
 * `config` errors.
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
  await yargs(words)
    .scriptName("duet")
    .usage(
      "$0 [command] [options]\n\nAn agent of two models: a cheap one picks the tools, a strong one writes the answer.",
    )
    .version(version)
    .locale("en")
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
        it
          .positional("question", { type: "string" })
          .options(toYargsOptions({ ...conversationOptions, output: createOutputOption("text", "json", "jsonl") })),
      (values) => setAction(ask({ ...values, question: values.question ?? rest })),
    )
    .command(
      "serve",
      "MCP server over stdio, or over HTTP with --http",
      (it) => it.options(toYargsOptions(serveOptions)),
      (values) => setAction(startServer(values)),
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
      "adds Duet to a host: shows the change to its file, asks, keeps a backup; without a host, lists the hosts",
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
      throw error instanceof DuetError ? error : usageError(message ?? error.message);
    })
    .parseAsync();
  return action;
}

function usageError(message: string): DuetError {
  const line = message.replace(/\s*\n\s*/g, " ").trim();
  return new DuetError({ code: "config", text: { zh: `${line}（见 duet --help）`, en: `${line} (see duet --help)` } });
}
