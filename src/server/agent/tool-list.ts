import type { Tool } from "@modelcontextprotocol/server";
import * as z from "zod";
import { type Locale, say, type Text } from "../../core/locale.ts";
import { askInput, askOutput, cancelInput, resultInput } from "./ask-schema.ts";

/** What is said of `agent_ask` now, for hosts and their models. */
export interface AskDescription {
  description: string;
  annotations: Tool["annotations"];
  meta: Record<string, unknown> | undefined;
}

/** The agent's tools as a host sees them. */
export function agentTools({ description, annotations, meta }: AskDescription, locale: Locale): Tool[] {
  return [
    {
      name: "agent_ask",
      title: say(locale, { zh: "询问 Duet", en: "Ask Duet" }),
      description,
      inputSchema: schemaOf(askInput, "input"),
      outputSchema: schemaOf(askOutput, "output"),
      annotations,
      _meta: meta,
    },
    {
      name: "agent_result",
      title: say(locale, { zh: "取得 Duet 的结果", en: "Get Duet's result" }),
      description: say(locale, ofResult),
      inputSchema: schemaOf(resultInput, "input"),
      outputSchema: schemaOf(askOutput, "output"),
      annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
    },
    {
      name: "agent_cancel",
      title: say(locale, { zh: "停止 Duet 的运行", en: "Stop a run of Duet" }),
      description: say(locale, ofCancel),
      inputSchema: schemaOf(cancelInput, "input"),
      outputSchema: schemaOf(askOutput, "output"),
      annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    },
  ];
}

const ofResult: Text = {
  zh: "取得 agent_ask 的一次运行的结果：run_id 来自状态为 running 的结果。会等到运行结束；仍未结束时再次返回 running。",
  en: "Gives the result of a run of agent_ask whose result had the status running: its run_id. Waits for the end; returns running again while there is none.",
};

const ofCancel: Text = {
  zh: "停止 agent_ask 的一次正在进行的运行，返回到此为止的结果。",
  en: "Stops a run of agent_ask that goes on, and gives what it has come to.",
};

function schemaOf(schema: z.ZodType, io: "input" | "output"): Tool["inputSchema"] {
  const { $schema, ...rest } = z.toJSONSchema(schema, { io });
  const json: Record<string, unknown> = JSON.parse(JSON.stringify(rest));
  return { ...json, type: "object" };
}
