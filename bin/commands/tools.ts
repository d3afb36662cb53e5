import type { Argv } from "yargs";
import { withDuet } from "../../src/cli/with-duet.ts";
import { readOutputFormat, toFlags, toOptionText, toTexts, type Values } from "../options.ts";
import { type Action, type SetAction, textOrJson, toYargsOptions, yes } from "./command.ts";

export function addToolsCommands(it: Argv, setAction: SetAction): Argv {
  return it
    .command(
      ["list", "$0"],
      "by server, with their state and weight in tokens",
      (list) => list.options(toYargsOptions(textOrJson)),
      (values) => setAction(listTools(values)),
    )
    .command(
      "call <name> [json]",
      "calls a tool by hand",
      (call) =>
        call
          .positional("name", { type: "string", demandOption: true })
          .positional("json", { type: "string", describe: "arguments, a JSON object" })
          .options(toYargsOptions(textOrJson)),
      (values) => setAction(callTool(values)),
    )
    .command(
      "docs",
      "a document of every tool, in Markdown: arguments, example, limits, permission",
      (docs) => docs.options(toYargsOptions()),
      (values) => setAction(documentTools(values)),
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
      (values) => setAction(approveTools(values)),
    );
}

function listTools(values: Values): Action {
  return (context) =>
    withDuet(toFlags(values), context, async (opened) => {
      const tools = await import("../../src/cli/tools/list-tools.ts");
      tools.warnDangers(opened.config, opened.console);
      return tools.listTools({ ...opened, output: readOutputFormat(values) });
    });
}

function documentTools(values: Values): Action {
  return (context) =>
    withDuet(toFlags(values), context, async (opened) => {
      const tools = await import("../../src/cli/tools/list-tools.ts");
      return tools.documentAllTools(opened);
    });
}

function callTool(values: Values): Action {
  return (context) =>
    withDuet(toFlags(values), context, async (opened) => {
      const tools = await import("../../src/cli/tools/call-tool.ts");
      const options = { ...opened, output: readOutputFormat(values) };
      return tools.callTool(options, toOptionText(values.name) ?? "", toOptionText(values.json) ?? "{}");
    });
}

/** Shows the tools that wait to be approved, and approves them. */
function approveTools(values: Values): Action {
  return (context) =>
    withDuet(toFlags(values), context, async (opened) => {
      const tools = await import("../../src/cli/tools/approve-tools.ts");
      const options = { ...opened, output: readOutputFormat(values), yes: values.yes === true };
      return tools.approveTools(options, toTexts(values.names));
    });
}
