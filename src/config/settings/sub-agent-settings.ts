import { limitRows, mapLimits } from "../../core/limits/limits.ts";
import { createFallbackSchema } from "./model-settings.ts";
import { defineNamedGroup, defineOptionalGroup, defineSetting } from "./setting.ts";

const createModelRow = (zh: string, en: string) =>
  defineSetting((parts) => parts.z.union([parts.text, createFallbackSchema(parts)]).optional(), {
    help: { zh: `${zh}：\`provider/model\`，或对象`, en: `${en}: \`provider/model\`, or an object` },
    fileHelp: "provider/model, or an object like that of a fallback.",
    absent: { zh: "与主智能体相同", en: "that of the main agent" },
  });

/** Says how another program is started and what it may do through us. */
const acpRows = {
  command: defineSetting(({ text }) => text.optional(), {
    help: { zh: "要启动的程序，不经过 shell", en: "the program; no shell is involved" },
    fileHelp: "The program to start; no shell is involved. Known agents need none.",
    absent: {
      zh: "按名称，见[其他智能体](other-agents.zh.md)",
      en: "by the name: see [other agents](other-agents.md)",
    },
  }),
  args: defineSetting(({ z }) => z.array(z.string()).optional(), { help: { zh: "参数", en: "its arguments" } }),
  env: defineSetting(({ z, variableName }) => z.record(variableName, z.string()).optional(), {
    help: { zh: "加入程序的环境变量", en: "added to the program's environment" },
  }),
  inheritEnv: defineSetting(({ z, variableName }) => z.array(variableName).optional(), {
    help: { zh: "它还能看到的环境变量名", en: "names of your variables that it sees too" },
    fileHelp: "Names of variables of Duet's environment that the program also gets.",
  }),
  cwd: defineSetting(({ text }) => text.optional(), {
    help: { zh: "它工作的目录，相对于配置文件", en: "the folder in which it works, relative to the file" },
    fileHelp: "The folder in which it works, relative to this file.",
    absent: { zh: "Duet 的工作目录", en: "Duet's working folder" },
  }),
  roots: defineSetting(({ z, text }) => z.array(text).optional(), {
    help: { zh: "它可以通过 Duet 读写文件的目录", en: "folders whose files it may read and write through Duet" },
    fileHelp: "Folders whose files it may read and write through Duet. An empty list: none.",
    absent: { zh: "`cwd`", en: "`cwd`" },
  }),
  mode: defineSetting(({ text }) => text.optional(), {
    help: { zh: "它自己的模式，如 `read-only`", en: "one of its own modes, such as `read-only`" },
    fileHelp: "One of its own modes, such as read-only, that each of its sessions is set to.",
    absent: {
      zh: "由它决定；[已知的几个](other-agents.zh.md)设为会询问的模式",
      en: "its own choice; for some [known ones](other-agents.md) a mode that asks",
    },
  }),
  model: defineSetting(({ text }) => text.optional(), {
    help: {
      zh: "它自己的一个模型；没有的会列出可选的",
      en: "one of its own models; an unknown one is refused with the list",
    },
    fileHelp: "One of its own models, as it names them.",
    absent: { zh: "由它决定", en: "its own choice" },
  }),
  permissions: defineSetting(({ z }) => z.enum(["ask", "allow", "refuse"]).default("ask"), {
    help: {
      zh: "它请求许可、或通过 Duet 写文件和运行命令时：询问你、一律同意、一律拒绝",
      en: "when it asks for permission, or writes or runs through Duet: ask you, always agree, always refuse",
    },
    fileHelp: "What happens when it asks for permission, or writes a file or runs a command through Duet.",
  }),
  mcpServers: defineSetting(({ z, text }) => z.union([z.boolean(), z.array(text)]).optional(), {
    help: {
      zh: "交给它使用的 `mcpServers` 的名称；`true`：全部",
      en: "names of `mcpServers` that it is given, too; `true`: all",
    },
    fileHelp: "Names of the MCP servers of this configuration that it is given for itself; true: all.",
    absent: { zh: "没有", en: "none" },
  }),
  terminal: defineSetting(({ z }) => z.boolean().default(false), {
    help: { zh: "是否可以通过 Duet 运行命令", en: "whether it may run commands through Duet" },
    fileHelp: "Whether it may run commands through Duet.",
  }),
  startTimeout: defineSetting(({ seconds }) => seconds(1, 600).default(60), {
    help: { zh: "启动秒数", en: "seconds to start" },
    fileHelp: "Limit of starting in seconds.",
  }),
  maxConcurrent: defineSetting(({ z }) => z.int().min(1).max(100).default(4), {
    help: { zh: "同时处理的问题数", en: "questions at one time" },
    fileHelp: "Questions that it works on at the same time.",
  }),
};

/** Holds agents that the main agent may ask, and that a person may choose. */
export const subAgentSettings = defineNamedGroup(
  ({ agentName }) => agentName,
  {
    description: defineSetting(({ text }) => text.optional(), {
      help: { zh: "它擅长什么，主智能体据此决定是否交给它", en: "what it is good at, by which the main agent decides" },
      fileHelp:
        "What it is good at. The main agent decides by it whether to ask it. Only known agents with acp need none.",
    }),
    acp: defineOptionalGroup(acpRows, {
      fileHelp: "Another agent that speaks the Agent Client Protocol, in place of one with models of its own.",
    }),
    models: defineOptionalGroup(
      {
        functionCall: createModelRow("选择工具的模型", "the model that picks tools"),
        answer: createModelRow("写回答的模型", "the model that writes its answer"),
      },
      { fileHelp: "Its models; those of the main agent when absent." },
    ),
    tools: defineSetting(({ permitPatterns }) => permitPatterns.optional(), {
      help: { zh: "它可以用的工具，写法同 `tools.allow`", en: "the tools that it may use, as in `tools.allow`" },
      fileHelp: "Patterns of the tools that it may use; all that the question may use when absent.",
      absent: { zh: "全部", en: "all" },
    }),
    instructions: defineSetting(({ text }) => text.optional(), {
      help: { zh: "给它的要求，每次提问都附上", en: "instructions that it gets with each question" },
      fileHelp: "Instructions that it gets with each question. They rank below Duet's own prompts.",
    }),
    prompts: defineSetting(({ text }) => text.optional(), {
      help: { zh: "它的[提示词](prompts.zh.md)目录", en: "directory of its [prompts](prompts.md)" },
      fileHelp: "Directory of its own prompts, relative to this file.",
      absent: { zh: "`prompts.directory`", en: "`prompts.directory`" },
    }),
    mode: defineSetting(({ z }) => z.enum(["chat", "agent", "plan"]).default("agent"), {
      help: { zh: "它的[模式](modes.zh.md)", en: "its [mode](modes.md)" },
    }),
    limits: defineOptionalGroup(
      mapLimits(
        limitRows,
        ({ key }) => key,
        (row) => defineSetting(({ limit }) => limit(row).optional(), {}),
      ),
      {
        help: { zh: "它的[限制](limits.zh.md)，键同 `agent`", en: "its [limits](limits.md), with the keys of `agent`" },
        fileHelp: "Limits of its runs, with the keys of agent. They also stay within what its caller has left.",
        absent: { zh: "与 `agent` 相同", en: "those of `agent`" },
      },
    ),
  },
  {
    fileHelp: "Agents that the main agent may ask as the tool agent_NAME, and that a person may choose.",
    entryHelp: "An agent with models, tools, prompts and limits of its own.",
  },
);
