import { withDuet } from "../../src/cli/with-duet.ts";
import { toFlags } from "../options.ts";
import { readOutputFormat, toText, toTexts, type Values } from "../values.ts";
import type { Action } from "./action.ts";

/** Lists the tools. */
export function listTools(values: Values): Action {
  return (context) =>
    withDuet(toFlags(values), context, async (opened) => {
      const [tools, { warnDangers }] = await Promise.all([
        import("../../src/cli/tools/list-tools.ts"),
        import("../../src/cli/trust/warn-dangers.ts"),
      ]);
      warnDangers(opened.config, opened.console);
      return tools.listTools({ ...opened, output: readOutputFormat(values) });
    });
}

/** Writes a document of all tools. */
export function documentTools(values: Values): Action {
  return (context) =>
    withDuet(toFlags(values), context, async (opened) => {
      const tools = await import("../../src/cli/tools/document-tools.ts");
      return tools.documentAllTools(opened);
    });
}

/** Calls a tool by hand. */
export function callTool(values: Values): Action {
  return (context) =>
    withDuet(toFlags(values), context, async (opened) => {
      const tools = await import("../../src/cli/tools/call-tool.ts");
      const options = { ...opened, output: readOutputFormat(values) };
      return tools.callTool(options, toText(values.name) ?? "", toText(values.json) ?? "{}");
    });
}

/** Shows the tools that wait to be approved, and approves them. */
export function approveTools(values: Values): Action {
  return (context) =>
    withDuet(toFlags(values), context, async (opened) => {
      const tools = await import("../../src/cli/tools/approve-tools.ts");
      const options = { ...opened, output: readOutputFormat(values), yes: values.yes === true };
      return tools.approveTools(options, toTexts(values.names));
    });
}
