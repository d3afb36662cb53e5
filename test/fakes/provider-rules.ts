import { isRecord } from "../../src/kit/json.ts";
import type { JournalEntry } from "./provider.ts";
import { checkParameters } from "./provider-rules-parameters.ts";

export interface Refusal {
  status: number;
  type: string;
  message: string;
  code?: string;
  param?: string;
  /** The whole body, where it has another form than OpenAI's or Anthropic's. */
  body?: unknown;
}

export const toolName = /^[a-zA-Z0-9_-]{1,64}$/;

/** What OpenAI would refuse about a request, in its words. */
export function checkChatRequest(entry: JournalEntry): Refusal | undefined {
  const { body } = entry;
  const keyless = missingKey(entry);
  if (keyless) return keyless;
  const messages = listOf(body.messages);
  if (messages.length === 0)
    return invalid("Invalid 'messages': empty array. Expected an array with minimum length 1.");
  if (typeof body.temperature === "number" && (body.temperature < 0 || body.temperature > 2)) {
    return invalid(`Invalid 'temperature': expected a value between 0 and 2, but got ${body.temperature} instead.`);
  }
  return checkParameters(entry) ?? checkChatTools(body) ?? checkChatMessages(messages);
}

export function missingKey({ headers }: JournalEntry): Refusal | undefined {
  if (headers.authorization?.startsWith("Bearer ")) return undefined;
  const message = "You didn't provide an API key. You need to provide your API key in an Authorization header.";
  return { status: 401, type: "invalid_request_error", message, code: "invalid_api_key" };
}

function checkChatTools(body: Record<string, unknown>): Refusal | undefined {
  if (body.tools !== undefined && listOf(body.tools).length === 0) {
    return invalid("Invalid 'tools': empty array. Expected an array with minimum length 1, but got an empty array.");
  }
  for (const [position, tool] of listOf(body.tools).entries()) {
    const called = recordOf(tool.function);
    const place = `tools[${position}].function`;
    const long = tooLong(called.name, 64, `${place}.name`);
    if (long) return long;
    if (!toolName.test(String(called.name))) {
      return invalid(
        `Invalid '${place}.name': string does not match pattern. Expected a string that matches '${toolName.source}'.`,
      );
    }
    const parameters = called.parameters;
    if (!isRecord(parameters) || parameters.type !== "object" || !isRecord(parameters.properties)) {
      return invalid(
        `Invalid schema for function '${called.name}': schema must be a JSON Schema of 'type: "object"' with properties.`,
      );
    }
  }
  return undefined;
}

function checkChatMessages(messages: Record<string, unknown>[]): Refusal | undefined {
  let open: string[] = [];
  for (const [position, message] of messages.entries()) {
    const place = `messages[${position}]`;
    if (message.role === "tool") {
      const id = String(message.tool_call_id);
      if (!open.includes(id)) {
        return invalid(
          `Invalid parameter: messages with role 'tool' must be a response to a preceding message with 'tool_calls' (${id}).`,
        );
      }
      open = open.filter((other) => other !== id);
      continue;
    }
    if (open.length > 0) return invalid(unanswered(open));
    if (!["system", "developer", "user", "assistant"].includes(String(message.role))) {
      return invalid(
        `Invalid value: '${message.role}'. Supported values are: 'system', 'assistant', 'user', 'tool'. (${place}.role)`,
      );
    }
    const calls = message.role === "assistant" ? listOf(message.tool_calls) : [];
    const empty = message.content === null || message.content === undefined || message.content === "";
    if (message.role === "assistant" && calls.length === 0 && empty) {
      return invalid(`Invalid value for 'content': expected a string, got null. (${place}.content)`);
    }
    const refusal = checkChatCalls(calls, place);
    if (refusal) return refusal;
    open = calls.map((call) => String(call.id));
  }
  return open.length > 0 ? invalid(unanswered(open)) : undefined;
}

function checkChatCalls(calls: Record<string, unknown>[], place: string): Refusal | undefined {
  for (const call of calls) {
    const called = recordOf(call.function);
    const long =
      tooLong(call.id, 40, `${place}.tool_calls[0].id`) ??
      tooLong(called.name, 64, `${place}.tool_calls[0].function.name`);
    if (long) return long;
    if (!toolName.test(String(called.name))) {
      return invalid(
        `Invalid '${place}.tool_calls[0].function.name': string does not match pattern '${toolName.source}'.`,
      );
    }
    if (!isJsonObject(called.arguments)) {
      return invalid('The "function.arguments" parameter of the code model must be in JSON format.');
    }
  }
  return undefined;
}

function tooLong(value: unknown, most: number, place: string): Refusal | undefined {
  const { length } = String(value);
  if (length <= most) return undefined;
  const expected = `Expected a string with maximum length ${most}, but got a string with length ${length} instead.`;
  return {
    ...invalid(`Invalid '${place}': string too long. ${expected}`),
    param: place,
    code: "string_above_max_length",
  };
}

function unanswered(ids: string[]): string {
  return `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${ids.join(", ")}`;
}

/** What Anthropic would refuse about a request, in its words. */
export function checkMessagesRequest(entry: JournalEntry): Refusal | undefined {
  const { body, headers } = entry;
  if (!headers["x-api-key"] && !headers.authorization) {
    return { status: 401, type: "authentication_error", message: "x-api-key header is required" };
  }
  if (!headers["anthropic-version"]) return invalid("anthropic-version: header is required");
  if (typeof body.max_tokens !== "number") return invalid("max_tokens: Field required");
  if (body.max_tokens < 1) return invalid("max_tokens: Input should be greater than or equal to 1");
  if (typeof body.temperature === "number" && body.temperature > 1) {
    return invalid("temperature: range: 0..1");
  }
  const messages = listOf(body.messages);
  if (messages.length === 0) return invalid("messages: at least one message is required");
  if (messages[0]?.role !== "user") return invalid('messages: first message must use the "user" role');
  return (
    checkParameters(entry) ??
    checkCacheMarks(body, messages) ??
    checkAnthropicTools(body, messages) ??
    checkAnthropicMessages(messages)
  );
}

function checkCacheMarks(body: Record<string, unknown>, messages: Record<string, unknown>[]): Refusal | undefined {
  const marked = [
    ...listOf(body.tools),
    ...listOf(body.system),
    ...messages.flatMap(({ content }) => blocksOf(content)),
  ].filter((item) => item.cache_control !== undefined);
  if (marked.some(({ type }) => String(type).endsWith("thinking"))) {
    return invalid("thinking.cache_control: Extra inputs are not permitted");
  }
  if (marked.length <= 4) return undefined;
  return invalid(`A maximum of 4 blocks with cache_control may be provided. Found ${marked.length}.`);
}

function checkAnthropicTools(body: Record<string, unknown>, messages: Record<string, unknown>[]): Refusal | undefined {
  const blocks = messages.flatMap((message) => blocksOf(message.content)).map((block) => block.type);
  if (listOf(body.tools).length === 0 && (blocks.includes("tool_use") || blocks.includes("tool_result"))) {
    return invalid("Requests which have `tool_use` or `tool_result` blocks in messages must define tools.");
  }
  for (const [position, tool] of listOf(body.tools).entries()) {
    if (String(tool.name).length > 64) {
      return invalid(`tools.${position}.custom.name: String should have at most 64 characters`);
    }
    if (!toolName.test(String(tool.name))) {
      return invalid(`tools.${position}.custom.name: String should match pattern '${toolName.source}'`);
    }
    if (recordOf(tool.input_schema).type !== "object") {
      return invalid(`tools.${position}.custom.input_schema.type: Input should be 'object'`);
    }
  }
  return undefined;
}

function checkAnthropicMessages(messages: Record<string, unknown>[]): Refusal | undefined {
  let open: string[] = [];
  const seen = new Set<string>();
  for (const [position, message] of messages.entries()) {
    const place = `messages.${position}`;
    if (message.role !== "user" && message.role !== "assistant") {
      return invalid(`${place}.role: Input should be 'user' or 'assistant'`);
    }
    const blocks = blocksOf(message.content);
    const blank = blocks.find((block) => block.type === "text" && !String(block.text).trim());
    if (blocks.length === 0 || blank) return invalid(`${place}: text content blocks must contain non-whitespace text`);
    const refusal = checkResults(blocks, open, place);
    if (refusal) return refusal;
    const uses = blocks.filter((block) => block.type === "tool_use");
    for (const use of uses) {
      if (!toolName.test(String(use.id))) return invalid(`${place}.content.0.tool_use.id: String should match pattern`);
      if (!toolName.test(String(use.name)))
        return invalid(`${place}.content.0.tool_use.name: String should match pattern`);
      if (!isRecord(use.input)) return invalid(`${place}.content.0.tool_use.input: Input should be a valid dictionary`);
      if (seen.has(String(use.id))) return invalid(`${place}: \`tool_use\` ids must be unique`);
      seen.add(String(use.id));
    }
    if (message.role === "user" && uses.length > 0)
      return invalid(`${place}: \`tool_use\` blocks can only be in assistant messages`);
    open = uses.map((use) => String(use.id));
  }
  if (open.length > 0) return invalid(unusedUses(open));
  if (messages.at(-1)?.role !== "assistant") return undefined;
  // Older models take it as the beginning of their answer.
  return invalid(
    "This model does not support assistant message prefill. The conversation must end with a user message.",
  );
}

function checkResults(blocks: Record<string, unknown>[], open: string[], place: string): Refusal | undefined {
  const results = blocks.filter((block) => block.type === "tool_result").map((block) => String(block.tool_use_id));
  const stray = results.find((id) => !open.includes(id));
  if (stray) {
    return invalid(
      `${place}.content.0: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${stray}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`,
    );
  }
  const missing = open.filter((id) => !results.includes(id));
  const late = blocks.slice(0, open.length).some((block) => block.type !== "tool_result");
  return missing.length > 0 || late ? invalid(unusedUses(missing.length > 0 ? missing : open)) : undefined;
}

function unusedUses(ids: string[]): string {
  return `messages: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${ids.join(", ")}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`;
}

function blocksOf(content: unknown): Record<string, unknown>[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : listOf(content);
}

export function listOf(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

export function recordOf(value: unknown): Record<string, unknown> {
  return isRecord(value) ? value : {};
}

export function isJsonObject(text: unknown): boolean {
  try {
    return isRecord(JSON.parse(String(text)));
  } catch {
    return false;
  }
}

export function invalid(message: string): Refusal {
  return { status: 400, type: "invalid_request_error", message };
}
