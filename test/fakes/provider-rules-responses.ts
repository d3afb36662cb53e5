import type { JournalEntry } from "./provider.ts";
import { encryptedFor } from "./provider-responses.ts";
import { invalid, isJsonObject, listOf, missingKey, type Refusal, recordOf, toolName } from "./provider-rules.ts";

/** What OpenAI would refuse about a Responses request, in its words. */
export function checkResponsesRequest(entry: JournalEntry): Refusal | undefined {
  const { body } = entry;
  const keyless = missingKey(entry);
  if (keyless) return keyless;
  const input = typeof body.input === "string" ? [{ role: "user", content: body.input }] : listOf(body.input);
  if (input.length === 0) return invalid("Missing required parameter: 'input'.");
  return checkParameters(body, entry.model) ?? checkTools(body) ?? checkInput(input, entry.model);
}

/** Parameters of chat completions, and what they are called here. */
const moved: Record<string, string> = {
  messages: "input",
  max_tokens: "max_output_tokens",
  max_completion_tokens: "max_output_tokens",
  reasoning_effort: "reasoning.effort",
  response_format: "text.format",
};

const known = new Set(
  "background,include,input,instructions,max_output_tokens,max_tool_calls,metadata,model,parallel_tool_calls,previous_response_id,prompt_cache_key,prompt_cache_retention,reasoning,safety_identifier,service_tier,store,stream,stream_options,temperature,text,tool_choice,tools,top_logprobs,top_p,truncation,user".split(
    ",",
  ),
);

function checkParameters(body: Record<string, unknown>, model: string): Refusal | undefined {
  for (const name of Object.keys(body)) {
    if (moved[name]) {
      const advice = `In the Responses API, this parameter has moved to '${moved[name]}'. Try again with the new parameter.`;
      return { ...invalid(`Unsupported parameter: '${name}'. ${advice}`), param: name, code: "unsupported_parameter" };
    }
    if (!known.has(name))
      return { ...invalid(`Unknown parameter: '${name}'.`), param: name, code: "unknown_parameter" };
  }
  const limit = body.max_output_tokens;
  if (typeof limit === "number" && limit < 16) {
    const message = `Invalid 'max_output_tokens': integer below minimum value. Expected a value >= 16, but got ${limit} instead.`;
    return { ...invalid(message), param: "max_output_tokens", code: "integer_below_min_value" };
  }
  return checkReasoning(body, model);
}

function checkReasoning(body: Record<string, unknown>, model: string): Refusal | undefined {
  const { effort, summary } = recordOf(body.reasoning);
  if (/^gpt-[34]/.test(model)) {
    if (effort) return unsupported("reasoning.effort");
    if (summary) return unsupported("reasoning.summary");
    const encrypted = Array.isArray(body.include) && body.include.includes("reasoning.encrypted_content");
    return encrypted
      ? { ...invalid("Encrypted content is not supported with this model."), param: "include" }
      : undefined;
  }
  const reasons = /^(o\d|gpt-5(-|$))/.test(model) || (/^gpt-(5\.[5-9]|[6-9])/.test(model) && !effort) || isOn(effort);
  const sampling = ["temperature", "top_p"].find((name) => body[name] !== undefined);
  return reasons && sampling ? unsupported(sampling) : undefined;
}

function isOn(effort: unknown): boolean {
  return typeof effort === "string" && effort !== "none";
}

function unsupported(param: string): Refusal {
  const message = `Unsupported parameter: '${param}' is not supported with this model.`;
  return { ...invalid(message), param, code: "unsupported_parameter" };
}

function checkTools(body: Record<string, unknown>): Refusal | undefined {
  for (const [position, tool] of listOf(body.tools).entries()) {
    const place = `tools[${position}]`;
    if (tool.name === undefined) return invalid(`Missing required parameter: '${place}.name'.`);
    if (!toolName.test(String(tool.name))) return invalid(badName(`${place}.name`));
    const parameters = recordOf(tool.parameters);
    if (parameters.type !== "object" || typeof parameters.properties !== "object") {
      return invalid(
        `Invalid schema for function '${tool.name}': In context=(), object schema missing properties. (${place}.parameters)`,
      );
    }
    if (tool.strict !== false && parameters.additionalProperties !== false) {
      return invalid(
        `Invalid schema for function '${tool.name}': In context=(), 'additionalProperties' is required to be supplied and to be false.`,
      );
    }
  }
  return undefined;
}

function checkInput(input: Record<string, unknown>[], model: string): Refusal | undefined {
  const asked = new Set<string>();
  const answered = new Set<string>();
  for (const [position, item] of input.entries()) {
    const refusal = checkItem(item, input[position + 1], `input[${position}]`, model);
    if (refusal) return refusal;
    const id = String(item.call_id);
    if (item.type === "function_call") asked.add(id);
    if (item.type === "function_call_output" && !asked.has(id)) {
      return invalid(`No tool call found for function call output with call_id ${id}.`);
    }
    if (item.type === "function_call_output") answered.add(id);
  }
  const open = [...asked].find((id) => !answered.has(id));
  return open === undefined ? undefined : invalid(`No tool output found for function call ${open}.`);
}

function checkItem(
  item: Record<string, unknown>,
  next: Record<string, unknown> | undefined,
  place: string,
  model: string,
): Refusal | undefined {
  if (item.type === "reasoning") return checkReasoningItem(item, next, model);
  if (item.type === "function_call") return checkCall(item, place);
  if (item.type === "function_call_output") return undefined;
  if (item.type !== undefined && item.type !== "message") {
    return invalid(`Invalid value: '${item.type}'. (${place}.type)`);
  }
  if (!["system", "developer", "user", "assistant"].includes(String(item.role))) {
    return invalid(
      `Invalid value: '${item.role}'. Supported values are: 'assistant', 'system', 'developer', and 'user'. (${place}.role)`,
    );
  }
  return undefined;
}

function checkCall(item: Record<string, unknown>, place: string): Refusal | undefined {
  if (!toolName.test(String(item.name))) return invalid(badName(`${place}.name`));
  if (String(item.call_id).length > 64) {
    return invalid(
      `Invalid '${place}.call_id': string too long. Expected a string with maximum length 64, but got a string with length ${String(item.call_id).length} instead.`,
    );
  }
  return isJsonObject(item.arguments) ? undefined : invalid(`Invalid '${place}.arguments': expected a JSON object.`);
}

function checkReasoningItem(
  item: Record<string, unknown>,
  next: Record<string, unknown> | undefined,
  model: string,
): Refusal | undefined {
  const followed = next !== undefined && (["reasoning", "function_call"].includes(String(next.type)) || isSaid(next));
  if (!followed) {
    return invalid(`Item '${item.id}' of type 'reasoning' was provided without its required following item.`);
  }
  if (!item.encrypted_content) {
    return invalid(
      `Item with id '${item.id}' not found. Items are not persisted when \`store\` is set to false. Try again with \`store\` set to true, or remove this item from your input.`,
    );
  }
  if (item.encrypted_content !== encryptedFor(model)) {
    const message = `The encrypted content for item ${item.id} could not be verified. Reason: Encrypted content could not be decrypted or parsed.`;
    return { ...invalid(message), code: "invalid_encrypted_content" };
  }
  return undefined;
}

function isSaid(item: Record<string, unknown>): boolean {
  return item.role === "assistant";
}

function badName(place: string): string {
  return `Invalid '${place}': string does not match pattern. Expected a string that matches the pattern '${toolName.source}'.`;
}
