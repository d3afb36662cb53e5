import type { Tool } from "@modelcontextprotocol/server";
import * as z from "zod";
import { type Locale, say, type Text } from "../../../kit/locale.ts";
import { askInput, askOutput, cancelInput, resultInput } from "../../../runs/ask-schema.ts";

/** What is said of `agent_ask` now, for hosts and their models. */
export interface AskDescription {
  description: string;
  annotations: Tool["annotations"];
  meta: Record<string, unknown> | undefined;
}

/** The agent's tools as a host sees them. Their schemas, which take milliseconds, are made once, for the first list. */
export function createAgentTools(locale: Locale): (description: AskDescription) => Tool[] {
  let schemas: Schemas | undefined;
  return (described) => {
    schemas ??= makeSchemas();
    return toTools(described, schemas, locale);
  };
}

function toTools({ description, annotations, meta }: AskDescription, schemas: Schemas, locale: Locale): Tool[] {
  const { ask, result, cancel, output: outputSchema } = schemas;
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
      description: say(locale, ofResult),
      inputSchema: result,
      outputSchema,
      annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
    },
    {
      name: "agent_cancel",
      title: say(locale, { zh: "停止 Duet 的运行", en: "Stop a run of Duet" }),
      description: say(locale, ofCancel),
      inputSchema: cancel,
      outputSchema,
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

type Schema = Tool["inputSchema"];
type Schemas = Readonly<Record<"ask" | "result" | "cancel" | "output", Schema>>;

function makeSchemas(): Schemas {
  return {
    ask: schemaOf(askInput, "input"),
    result: schemaOf(resultInput, "input"),
    cancel: schemaOf(cancelInput, "input"),
    output: schemaOf(askOutput, "output"),
  };
}

function schemaOf(schema: z.ZodType, io: "input" | "output"): Schema {
  const { $schema, ...rest } = z.toJSONSchema(schema, { io });
  const json: Record<string, unknown> = JSON.parse(JSON.stringify(rest));
  return { ...json, type: "object" };
}
