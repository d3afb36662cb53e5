import type { Argv } from "yargs";
import { approveTools, callTool, documentTools, listTools } from "../actions/tools.ts";
import { type SetAction, textOrJson, toYargsOptions, yes } from "./command-options.ts";

export function addToolsCommands(it: Argv, take: SetAction): Argv {
  return it
    .command(
      ["list", "$0"],
      "by server, with their state and weight in tokens",
      (list) => list.options(toYargsOptions(textOrJson)),
      (values) => take(listTools(values)),
    )
    .command(
      "call <name> [json]",
      "calls a tool by hand",
      (call) =>
        call
          .positional("name", { type: "string", demandOption: true })
          .positional("json", { type: "string", describe: "arguments, a JSON object" })
          .options(toYargsOptions(textOrJson)),
      (values) => take(callTool(values)),
    )
    .command(
      "docs",
      "a document of every tool, in Markdown: arguments, example, limits, permission",
      (docs) => docs.options(toYargsOptions()),
      (values) => take(documentTools(values)),
    )
    .command(
      "approve [names..]",
      "shows the tools that are new or have changed, and approves them: a server, server__tool (also one that was trusted at first use), or all that are waiting",
      (approve) =>
        approve
          // Without it yargs keeps only the last of the names.
          .parserConfiguration({ "duplicate-arguments-array": true })
          .positional("names", { type: "string", array: true })
          .options(toYargsOptions({ yes, ...textOrJson })),
      (values) => take(approveTools(values)),
    );
}
