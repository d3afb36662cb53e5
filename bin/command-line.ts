import yargs from "yargs/yargs";
import { DuetError } from "../src/kit/errors.ts";
import { version } from "../src/kit/version.ts";
import type { Action } from "./actions/action.ts";
import { ask } from "./actions/ask.ts";
import { chat } from "./actions/chat.ts";
import { trace } from "./actions/conversations.ts";
import { doctor } from "./actions/doctor.ts";
import { install } from "./actions/install.ts";
import { login } from "./actions/login.ts";
import { models } from "./actions/models.ts";
import { serve } from "./actions/serve.ts";
import { output, rows, textOrJson } from "./commands/command-options.ts";
import { configCommands } from "./commands/config.ts";
import { conversationsCommands } from "./commands/conversations.ts";
import { installOptions } from "./commands/install.ts";
import { toolsCommands } from "./commands/tools.ts";
import { chatOptions, conversationOptions, serveOptions } from "./options.ts";

/** What the command line asks for; undefined when yargs has answered itself (`--help`, `--version`). Throws `config` errors. */
export async function readCommandLine(argv: string[]): Promise<Action | undefined> {
  let action: Action | undefined;
  const take = (asked: Action): void => {
    action = asked;
  };
  const end = argv.indexOf("--");
  const words = end < 0 ? argv : argv.slice(0, end);
  /** What stands after `--` is a question, whatever it begins with. */
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
      (it) => it.options(rows(chatOptions)),
      (values) => take(chat(values)),
    )
    .command(
      "ask [question]",
      "one question; the answer on stdout, everything else on stderr (- or a pipe: the question from stdin)",
      (it) =>
        it
          .positional("question", { type: "string" })
          .options(rows({ ...conversationOptions, output: output("text", "json", "jsonl") })),
      (values) => take(ask({ ...values, question: values.question ?? rest })),
    )
    .command(
      "serve",
      "MCP server over stdio, or over HTTP with --http",
      (it) => it.options(rows(serveOptions)),
      (values) => take(serve(values)),
    )
    .command("tools", "the tools the agent has", (it) => toolsCommands(it, take))
    .command("conversations", "the conversations that are kept", (it) => conversationsCommands(it, take))
    .command("config", "the configuration in force", (it) => configCommands(it, take))
    .command(
      "models",
      "the models in use: wire, limits, context window, price, and where each value comes from",
      (it) => it.options(rows(textOrJson)),
      (values) => take(models(values)),
    )
    .command(
      "trace [run]",
      "what a run did, step by step; the last one when none is named",
      (it) => it.positional("run", { type: "string" }).options(rows(textOrJson)),
      (values) => take(trace(values)),
    )
    .command(
      "login <server>",
      "sign in to a remote server in the browser",
      (it) =>
        it
          .positional("server", { type: "string", demandOption: true })
          .options(rows({ remove: { type: "boolean", describe: "forget the sign-in" } })),
      (values) => take(login(values)),
    )
    .command(
      "install [host]",
      "plugs Duet into a host: shows the change of its file, asks, keeps a copy; the hosts when none is named",
      (it) => installOptions(it),
      (values) => take(install(values)),
    )
    .command(
      "doctor",
      "checks configuration, keys, models and servers: what is wrong and what to do",
      (it) => it.options(rows(textOrJson)),
      (values) => take(doctor(values)),
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
