import * as z from "zod";
import type { Mode } from "../../core/outcome.ts";
import { isRecord } from "../../kit/json.ts";
import type { Text } from "../../kit/locale.ts";
import { describeNoObject } from "../api/read-fields.ts";
import { HttpRefusalError } from "../http/response/refusal.ts";
import type { Handle } from "../http/routes.ts";
import { parseInput } from "../mcp/read-input.ts";
import type { WireMessage } from "./read-messages.ts";
import { fieldRefusedError } from "./read-parts.ts";

/** Represents a request for a chat completion, limited to the fields that Duet uses. */
export interface ChatRequest {
  /** Is the model's name as the client sent it. */
  model: string;
  mode: Mode;
  messages: readonly WireMessage[];
  isStreamed: boolean;
  includesUsage: boolean;
  /** Limits the output of the answer, in tokens. */
  maxTokens: number | undefined;
  temperature: number | undefined;
  topP: number | undefined;
  /** In chat mode, true searches the web first. */
  search: boolean | undefined;
  /** Is true when the client brings its own tools. */
  hasTools: boolean;
}

const tokens = z.int().min(1).nullish();

/** Clients send many more fields, and null for what they do not set. */
export const chatBody = z.looseObject({
  model: z.string().min(1).max(200),
  messages: z
    .array(z.looseObject({ role: z.string().max(100) }))
    .min(1)
    .max(10_000),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
  max_tokens: tokens,
  max_completion_tokens: tokens,
  temperature: z.number().min(0).max(2).nullish(),
  top_p: z.number().gt(0).max(1).nullish(),
  n: z.int().min(1).max(1).nullish(),
  response_format: z.looseObject({ type: z.string() }).nullish(),
});

/** Throws `HttpRefusalError` (400, or 404 for the model) with one line that names the field, its value and what is allowed. */
export function readChat(body: unknown): ChatRequest {
  const fields = readFields(body);
  const mode = parseMode(fields.model);
  const { messages, stream, stream_options, response_format: format, tools, functions } = fields;
  refuseToolChoice("tool_choice", fields.tool_choice);
  refuseToolChoice("function_call", fields.function_call);
  if (format && format.type !== "text") throw fieldRefusedError("response_format", describeTextFormat(format.type));
  return {
    model: fields.model,
    mode,
    messages,
    isStreamed: stream ?? false,
    includesUsage: stream_options?.include_usage ?? false,
    maxTokens: fields.max_completion_tokens ?? fields.max_tokens ?? undefined,
    temperature: fields.temperature ?? undefined,
    topP: fields.top_p ?? undefined,
    search: isRecord(fields.web_search_options) ? true : undefined,
    hasTools: [tools, functions].some((list) => Array.isArray(list) && list.length > 0),
  };
}

function readFields(body: unknown): z.infer<typeof chatBody> {
  if (!isRecord(body)) throw new HttpRefusalError({ status: 400, text: describeNoObject(body) });
  const read = parseInput(chatBody, body);
  if ("input" in read) return read.input;
  const [problem] = read.problems;
  throw fieldRefusedError(problem?.path ?? "", problem?.text ?? describeNoObject(body));
}

/** A client cannot make Duet call one of the client's tools: Duet would wait for a call that never comes. */
function refuseToolChoice(param: string, choice: unknown): void {
  if (choice === undefined || choice === null || choice === "auto" || choice === "none") return;
  const shown = JSON.stringify(choice).slice(0, 100);
  throw fieldRefusedError(param, {
    zh: `${shown} 不可用（允许：auto、none）：Duet 运行自己的工具，不调用请求中的工具`,
    en: `${shown} (allowed: auto, none): Duet runs its own tools and calls none of the request's`,
  });
}

function describeTextFormat(type: string): Text {
  const shown = JSON.stringify(type.slice(0, 50));
  return {
    zh: `${shown} 不可用（允许：text）：不支持结构化输出`,
    en: `${shown} (allowed: text): structured output is not supported`,
  };
}

/** Presents the modes as models, which OpenAI's clients know. */
const modes: Readonly<Record<string, Mode>> = { "duet-agent": "agent", "duet-plan": "plan", "duet-chat": "chat" };

/** Throws `HttpRefusalError` (404) for a model that there is not. */
function parseMode(model: string): Mode {
  const mode = Object.hasOwn(modes, model) ? modes[model] : undefined;
  if (mode !== undefined) return mode;
  const shown = JSON.stringify(model.slice(0, 100));
  const allowed = Object.keys(modes).join(", ");
  throw new HttpRefusalError({
    status: 404,
    text: { zh: `没有模型 ${shown}（允许：${allowed}）`, en: `there is no model ${shown} (allowed: ${allowed})` },
    param: "model",
    openAiCode: "model_not_found",
  });
}

/** Creates the model routes; `created` is when the server began, in milliseconds since 1970. */
export function createModelRoutes(created: number): { list: Handle; one: Handle } {
  const toModelEntry = (id: string) => ({
    id,
    object: "model",
    created: Math.floor(created / 1000),
    owned_by: "duet",
  });
  return {
    list: async () => Response.json({ object: "list", data: Object.keys(modes).map(toModelEntry) }),
    async one({ params: { id = "" } }) {
      parseMode(id);
      return Response.json(toModelEntry(id));
    },
  };
}
