import type { Tool } from "@modelcontextprotocol/server";
import { toAgentTool } from "../../../app/sub-agents/agent-tools.ts";
import type { SubAgentSettings } from "../../../config/config.ts";
import { createOnce } from "../../../kit/async/once.ts";
import { type Locale, say, type Text } from "../../../kit/locale.ts";
import { createListedSchemas, type ListedSchemas } from "./listed-schemas.ts";

export interface AskDescription {
  description: string;
  annotations: Tool["annotations"];
  meta: Record<string, unknown> | undefined;
}

/**
 * Creates the agent's tools as a host sees them. Their schemas take milliseconds to make, so they are made once, for the first
 * list.
 */
export function createAgentTools(locale: Locale): (description: AskDescription) => Promise<Tool[]> {
  const schemas = createOnce(createListedSchemas);
  return async (described) => toTools(described, await schemas.get(), locale);
}

function toTools({ description, annotations, meta }: AskDescription, schemas: ListedSchemas, locale: Locale): Tool[] {
  const { ask, result, cancel, message, output: outputSchema } = schemas;
  return [
    {
      name: "agent_ask",
      title: say(locale, { zh: "询问 Duet", en: "Ask Duet" }),
      description,
      inputSchema: ask,
      outputSchema,
      annotations,
      _meta: meta,
    },
    {
      name: "agent_result",
      title: say(locale, { zh: "取得 Duet 的结果", en: "Get Duet's result" }),
      description: say(locale, resultDescription),
      inputSchema: result,
      outputSchema,
      annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
    },
    {
      name: "agent_cancel",
      title: say(locale, { zh: "停止 Duet 的运行", en: "Stop a run of Duet" }),
      description: say(locale, cancelDescription),
      inputSchema: cancel,
      annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    },
    {
      name: "agent_message",
      description: say(locale, messageDescription),
      inputSchema: message,
    },
  ];
}

/** Returns the tool of a configured agent. It takes what `agent_ask` takes, and lists the least that a model needs. */
export function toSubAgentTool({ name, description }: SubAgentSettings, locale: Locale): Tool {
  const question = { type: "string", description: say(locale, questionHelp) };
  const conversation = { type: "string", description: say(locale, conversationHelp) };
  return {
    name: toAgentTool(name),
    description,
    inputSchema: {
      type: "object",
      properties: { question, conversation_id: conversation },
      required: ["question"],
    },
    annotations: { readOnlyHint: false, openWorldHint: true },
  };
}

const questionHelp: Text = {
  zh: "要它回答的问题或完成的任务，写全所需的信息。",
  en: "The question or task, with all that it needs to know.",
};

const conversationHelp: Text = {
  zh: "继续之前的话题：它的结果中的 conversation_id。",
  en: "Continues an earlier topic: the conversation_id of its result.",
};

const resultDescription: Text = {
  zh: "取得 agent_ask 的一次运行的结果，run_id 来自状态为 running 的结果。会等到运行结束；仍未结束时再次返回 running。",
  en: "Returns the result of an agent_ask run that returned the status running, by its run_id. Waits for the run to end; returns running again if it has not.",
};

const messageDescription: Text = {
  zh: "向进行中的运行补充说明，下一步生效。",
  en: "Tells a run in progress something, which it reads before its next step.",
};

const cancelDescription: Text = {
  zh: "停止 agent_ask 的一次正在进行的运行，返回到此为止的结果。",
  en: "Stops an agent_ask run in progress and returns the result so far.",
};
