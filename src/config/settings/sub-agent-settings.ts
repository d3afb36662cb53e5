import { limitRows, mapLimits } from "../../core/limits.ts";
import { createFallbackSchema } from "./model-settings.ts";
import { defineNamedGroup, defineOptionalGroup, defineSetting } from "./setting.ts";

const createModelRow = (zh: string, en: string) =>
  defineSetting((parts) => parts.z.union([parts.text, createFallbackSchema(parts)]).optional(), {
    help: { zh: `${zh}：\`provider/model\`，或对象`, en: `${en}: \`provider/model\`, or an object` },
    fileHelp: "provider/model, or an object like that of a fallback.",
    absent: { zh: "与主智能体相同", en: "that of the main agent" },
  });

/** Holds agents that the main agent may ask, and that a person may choose. */
export const subAgentSettings = defineNamedGroup(
  ({ agentName }) => agentName,
  {
    description: defineSetting(({ text }) => text, {
      help: { zh: "它擅长什么，主智能体据此决定是否交给它", en: "what it is good at, by which the main agent decides" },
      fileHelp: "What it is good at. The main agent decides by it whether to ask it.",
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
