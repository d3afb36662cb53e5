import { toText } from "../../kit/json.ts";
import type { Text } from "../../kit/locale.ts";
import type { AnswerRequest, ReasoningDetail } from "../model-api/answer/answer-request.ts";
import { fieldRefusedError } from "../model-api/field-refused-error.ts";
import { parseMode } from "../model-api/model-names.ts";
import { readFields } from "../model-api/read/read-fields.ts";
import { readFormat } from "../model-api/read/read-format.ts";
import { type ReadTools, readTools } from "./client-tools.ts";
import type { WireItem } from "./read-items.ts";
import { type ResponsesBody, responsesBody } from "./request-body.ts";

/** Represents a request for a response. What it asks stands in its items, which `openContext` reads. */
export interface ResponsesRequest extends Omit<AnswerRequest, "conversation" | "storage"> {
  items: readonly WireItem[];
  instructions: string | undefined;
  /** Is the response that this one comes after. */
  previousId: string | undefined;
  /** Is the conversation of the caller's that this response continues. */
  conversationId: string | undefined;
  /** Is true for a response that can be read later. */
  isStored: boolean;
  isStreamed: boolean;
  isBackground: boolean;
  /** Names the person who asks, where a program asks for several. */
  user: string | undefined;
  /** Is true where the client wants reasoning back with which to go on by itself. */
  encryptsReasoning: boolean;
  readTools: ReadTools;
  /** Is the body without its input, which the response repeats in part. */
  body: ResponsesBody;
}

/** Throws `HttpRefusalError` (400, or 404 for the model) with one line that names the field, its value and what is allowed. */
export function readRequest(given: unknown): ResponsesRequest {
  const { input, ...body } = readFields(responsesBody, given);
  const items = typeof input === "string" ? [{ type: "message", role: "user", content: input }] : input;
  return { items, ...readBody(body) };
}

/** Reads all but the input, also of a response that was stored. */
export function readBody(body: ResponsesBody): Omit<ResponsesRequest, "items"> {
  const { background, conversation, previous_response_id: previousId, store } = body;
  const mode = parseMode(body.model);
  if (background && store === false) throw fieldRefusedError("background", onlyStored);
  if (conversation && previousId) throw fieldRefusedError("previous_response_id", notBoth);
  const { format } = body.text ?? {};
  const tools = readTools(body.tools ?? [], body.tool_choice);
  return {
    model: body.model,
    mode,
    instructions: body.instructions ?? undefined,
    previousId: previousId ?? undefined,
    conversationId: (typeof conversation === "string" ? conversation : conversation?.id) ?? undefined,
    isStored: store ?? true,
    isStreamed: body.stream ?? false,
    isBackground: background ?? false,
    user: body.safety_identifier ?? body.user ?? undefined,
    encryptsReasoning: body.include?.includes("reasoning.encrypted_content") ?? false,
    maxTokens: body.max_output_tokens ?? undefined,
    temperature: body.temperature ?? undefined,
    topP: body.top_p ?? undefined,
    stop: undefined,
    tools: tools.tools,
    toolChoice: tools.toolChoice,
    callsInParallel: body.parallel_tool_calls ?? true,
    search: tools.search ? true : undefined,
    readTools: tools,
    format: readFormat(
      { type: format?.type, schema: format?.schema, description: toText(format?.description) },
      { type: "text.format.type", schema: "text.format.schema" },
    ),
    reasoning: readDetail(body.reasoning),
    fields: {
      messages: "input",
      callsBeforeResults,
      schema: "text.format.schema",
      temperature: "temperature",
      topP: "top_p",
      toolChoice: "tool_choice",
      toToolField: (index, field) => `${tools.places[index] ?? "tools"}.${field === "name" ? "name" : "parameters"}`,
    },
    body,
  };
}

/** Without a word of the client's, the model's name or the configuration decides. No vendor has the value `none`. */
function readDetail(reasoning: ResponsesBody["reasoning"]): ReasoningDetail | undefined {
  const summary = reasoning?.summary ?? reasoning?.generate_summary;
  if (summary === "none") return "none";
  if (summary === "concise") return "brief";
  return summary ? "full" : undefined;
}

const callsBeforeResults: Text = {
  zh: "从提问开始的全部条目，包括这些调用；或用 previous_response_id 指出发出这些调用的响应",
  en: "all items from the question on, with the calls, or previous_response_id with the response that made them",
};

const onlyStored: Text = {
  zh: "true 与 store: false 不能同用（允许：store 为 true 或省略）",
  en: "true does not go with store: false (allowed: store true, or left out)",
};

const notBoth: Text = {
  zh: "不能与 conversation 同用（允许：二者之一）",
  en: "does not go with conversation (allowed: one of the two)",
};
