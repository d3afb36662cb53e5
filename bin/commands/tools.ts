import { withDuet } from "../../src/cli/with-duet.ts";
import { readOutputFormat, toFlags, toOptionText, toTexts, type Values } from "../read-options.ts";
import { type Action, type CommandRow, textOrJson, yes } from "./command.ts";

export const toolsCommand: CommandRow = {
  name: "tools",
  help: { zh: "智能体的工具", en: "the tools of the agent" },
  commands: [
    {
      name: "list",
      isDefault: true,
      help: {
        zh: "按服务器列出，以及它们的状态和占用的 token",
        en: "by server, with their state and weight in tokens",
      },
      options: textOrJson,
      run: listTools,
    },
    {
      name: "call",
      help: { zh: "手动调用一个工具", en: "calls a tool by hand" },
      positionals: [
        { name: "name", isRequired: true },
        {
          name: "json",
          help: {
            zh: "参数，一个 JSON 对象（- ：从标准输入读取）",
            en: "arguments, a JSON object (- : from stdin)",
          },
        },
      ],
      options: textOrJson,
      run: callTool,
    },
    {
      name: "docs",
      help: {
        zh: "所有工具的 Markdown 文档：参数、示例、限制、权限",
        en: "a document of every tool, in Markdown: arguments, example, limits, permission",
      },
      run: documentTools,
    },
    {
      name: "approve",
      help: {
        zh: "显示新的或有变化的工具并批准：一个服务器、server__tool（首次使用时信任的也可以），或全部等待批准的",
        en: "shows the tools that are new or have changed, and approves them: a server, server__tool (also one that was trusted at first use), or all that are waiting",
      },
      positionals: [{ name: "names", isRepeated: true }],
      options: { yes, ...textOrJson },
      run: approveTools,
    },
  ],
};

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
