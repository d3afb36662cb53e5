import yargs from "yargs/yargs";
import { DuetError } from "../src/core/errors.ts";
import { version } from "../src/core/version.ts";
import {
  type Action,
  approve,
  ask,
  chat,
  config,
  conversations,
  doctor,
  login,
  serve,
  tools,
  trace,
  trustConfig,
} from "./actions.ts";
import { conversationOptions, type Option, pageOptions, serveOptions, sharedOptions } from "./options.ts";

const output = (...choices: string[]): Option => ({ type: "string", describe: "form of the output", choices });

/** What the command line asks for; undefined when yargs has answered itself (`--help`, `--version`). Throws `config` errors. */
export async function readCommandLine(argv: string[]): Promise<Action | undefined> {
  let action: Action | undefined;
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
      (it) => it.options(rows(conversationOptions)),
      (values) => {
        action = chat(values);
      },
    )
    .command(
      "ask [question]",
      "one question; the answer on stdout, everything else on stderr (- or a pipe: the question from stdin)",
      (it) =>
        it
          .positional("question", { type: "string" })
          .options(rows({ ...conversationOptions, output: output("text", "json", "jsonl") })),
      (values) => {
        action = ask({ ...values, question: values.question ?? rest });
      },
    )
    .command(
      "serve",
      "MCP server over stdio",
      (it) => it.options(rows(serveOptions)),
      (values) => {
        action = serve(values);
      },
    )
    .command("tools", "the tools the agent has", (it) =>
      it
        .command(
          ["list", "$0"],
          "by server, with their state and weight in tokens",
          (list) => list.options(rows({ output: output("text", "json") })),
          (values) => {
            action = tools(values);
          },
        )
        .command(
          "call <name> [json]",
          "call one by hand",
          (call) =>
            call
              .positional("name", { type: "string", demandOption: true })
              .positional("json", { type: "string", describe: "arguments, a JSON object" })
              .options(rows({ output: output("text", "json") })),
          (values) => {
            action = tools(values);
          },
        )
        .command(
          "approve [names..]",
          "shows the tools that are new or have changed, and approves them: a server, server__tool, or all that wait",
          (own) =>
            own
              // Without it yargs keeps only the last of the names.
              .parserConfiguration({ "duplicate-arguments-array": true })
              .positional("names", { type: "string", array: true })
              .options(
                rows({ yes: { type: "boolean", describe: "without a question" }, output: output("text", "json") }),
              ),
          (values) => {
            action = approve(values);
          },
        ),
    )
    .command("conversations", "the conversations that are kept", (it) =>
      it
        .command(
          ["list", "$0"],
          "the last asked first",
          (list) => list.options(rows({ ...pageOptions, output: output("text", "json") })),
          (values) => {
            action = conversations("list", values);
          },
        )
        .command(
          "show <id>",
          "what was asked and answered",
          (show) =>
            show
              .positional("id", { type: "string", demandOption: true })
              .options(rows({ output: output("text", "json") })),
          (values) => {
            action = conversations("show", values);
          },
        )
        .command(
          "delete <ids..>",
          "removes conversations with their sources and traces",
          (remove) =>
            remove
              // Without it yargs keeps only the last of the IDs.
              .parserConfiguration({ "duplicate-arguments-array": true })
              .positional("ids", { type: "string", array: true, demandOption: true })
              .options(rows({ output: output("text", "json") })),
          (values) => {
            action = conversations("delete", values);
          },
        ),
    )
    .command("config", "the configuration in force", (it) =>
      (["show", "path", "schema", "init"] as const).reduce(
        (command, name) =>
          command.command(
            name === "show" ? [name, "$0"] : name,
            configHelp[name],
            (own) => own.options(rows({ output: output("text", "json") })),
            (values) => {
              action = config(name, values);
            },
          ),
        it.command(
          "trust",
          "shows what a configuration found in a git work tree would start, and trusts its content",
          (own) =>
            own.options(
              rows({ yes: { type: "boolean", describe: "without a question" }, output: output("text", "json") }),
            ),
          (values) => {
            action = trustConfig(values);
          },
        ),
      ),
    )
    .command(
      "trace [run]",
      "what a run did, step by step; the last one when none is named",
      (it) => it.positional("run", { type: "string" }).options(rows({ output: output("text", "json") })),
      (values) => {
        action = trace(values);
      },
    )
    .command(
      "login <server>",
      "sign in to a remote server in the browser",
      (it) =>
        it
          .positional("server", { type: "string", demandOption: true })
          .options(rows({ remove: { type: "boolean", describe: "forget the sign-in" } })),
      (values) => {
        action = login(values);
      },
    )
    .command(
      "doctor",
      "checks configuration, keys, models and servers: what is wrong and what to do",
      (it) => it.options(rows({ output: output("text", "json") })),
      (values) => {
        action = doctor(values);
      },
    )
    .strict()
    .exitProcess(false)
    .fail((message, error) => {
      throw error instanceof DuetError ? error : usageError(message ?? error.message);
    })
    .parseAsync();
  return action;
}

const configHelp = {
  show: "each value and where it came from, secrets masked",
  path: "its file",
  schema: "its JSON Schema",
  init: "writes a commented starter file",
};

function rows(more: Record<string, Option> = {}) {
  const all: Record<string, Option> = { ...sharedOptions, ...more };
  return Object.fromEntries(
    Object.entries(all).map(([name, option]) => [name, { ...option, requiresArg: option.type === "string" }]),
  );
}

function usageError(message: string): DuetError {
  const line = message.replace(/\s*\n\s*/g, " ").trim();
  return new DuetError({ code: "config", text: { zh: `${line}（见 duet --help）`, en: `${line} (see duet --help)` } });
}
