import { isRecord } from "../../src/kit/json.ts";
import type { JournalEntry } from "./provider.ts";
import { invalid, listOf, type Refusal, recordOf } from "./provider-rules.ts";

type Fields = Record<string, unknown>;

/** What a vendor refuses about stop texts, forced calls and the form of the answer, in its words. */
export function checkOptions(entry: JournalEntry): Refusal | undefined {
  if (entry.wire === "anthropic-messages") return checkMessagesOptions(entry);
  const isResponses = entry.wire === "openai-responses";
  return (isResponses ? undefined : checkStop(entry)) ?? checkToolChoice(entry) ?? checkFormat(entry, isResponses);
}

function checkStop({ body, model }: JournalEntry): Refusal | undefined {
  const { stop } = body;
  if (stop === undefined || stop === null) return undefined;
  if (/^(o\d|gpt-[5-9](?!-chat))/.test(model))
    return {
      ...invalid("Unsupported parameter: 'stop' is not supported with this model."),
      param: "stop",
      code: "unsupported_parameter",
    };
  const most = /deepseek/.test(model) ? 16 : /gemini|kimi/.test(model) ? 5 : /glm/.test(model) ? 1 : 4;
  const texts: unknown[] = Array.isArray(stop) ? stop : [stop];
  if (texts.length === 0 || texts.some((text) => typeof text !== "string" || text === ""))
    return { ...invalid("Invalid 'stop': expected a non-empty string."), param: "stop" };
  if (texts.length <= most) return undefined;
  const message = `Invalid 'stop': array too long. Expected an array with maximum length ${most}, but got an array with length ${texts.length} instead.`;
  return { ...invalid(message), param: "stop", code: "array_above_max_length" };
}

function checkToolChoice({ body, model, wire }: JournalEntry): Refusal | undefined {
  const { tool_choice: choice } = body;
  if (choice === undefined) return undefined;
  const tools = listOf(body.tools);
  if (tools.length === 0)
    return invalid("Invalid value for 'tool_choice': 'tool_choice' is only allowed when 'tools' are specified.");
  if (!isRecord(choice) && !["auto", "none", "required"].includes(String(choice)))
    return invalid(`Invalid value: '${choice}'. Supported values are: 'none', 'auto', and 'required'. (tool_choice)`);
  const isForced = isRecord(choice) || choice === "required";
  if (isForced && (/glm|kimi/.test(model) || thinks(body, model)))
    return invalid("The tool_choice parameter does not support being set to required or object in thinking mode");
  if (!isRecord(choice)) return undefined;
  const name = wire === "openai-responses" ? choice.name : recordOf(choice.function).name;
  const names = tools.map((tool) => (wire === "openai-responses" ? tool.name : recordOf(tool.function).name));
  return names.includes(name) ? undefined : invalid(`Tool choice '${name}' not found in 'tools' parameter.`);
}

/** Is true for a model of DeepSeek's or Alibaba's while it thinks. */
function thinks(body: Fields, model: string): boolean {
  if (/^qw/.test(model)) return body.enable_thinking === true || /^qwq/.test(model);
  return /deepseek/.test(model) && recordOf(body.thinking).type !== "disabled";
}

function checkFormat({ body, model }: JournalEntry, isResponses: boolean): Refusal | undefined {
  const format = recordOf(isResponses ? recordOf(body.text).format : body.response_format);
  const place = isResponses ? "text.format" : "response_format";
  if (format.type === undefined || format.type === "text") return undefined;
  const unsupported = `Invalid parameter: '${place}' of type '${format.type}' is not supported with this model.`;
  if (/^gpt-4(-\d{4})?$/.test(model) || /no-format/.test(model)) return { ...invalid(unsupported), param: place };
  if (/^qw/.test(model) && thinks(body, model))
    return invalid("Json mode response is not supported when enable_thinking is true");
  const messages = JSON.stringify(isResponses ? body.input : body.messages);
  if (format.type === "json_object") {
    if (/json/i.test(messages)) return undefined;
    const word = `'messages' must contain the word 'json' in some form, to use '${place}' of type 'json_object'.`;
    return { ...invalid(word), param: "messages" };
  }
  if (/deepseek|glm|no-schema/.test(model)) return invalid("This response_format type is unavailable now");
  if (/^gpt-(3\.5|4-turbo)/.test(model)) return { ...invalid(unsupported), param: place };
  const named = isResponses ? format : recordOf(format.json_schema);
  if (!/^[a-zA-Z0-9_-]{1,64}$/.test(String(named.name))) return invalid(`Invalid '${place}.json_schema.name'.`);
  const { schema } = named;
  if (!isRecord(schema) || schema.type !== "object")
    return invalid(`Invalid schema for ${place} '${named.name}': schema must be a JSON Schema of 'type: "object"'.`);
  const problem = /gemini/.test(model)
    ? findOpenApiProblem(schema)
    : named.strict === true
      ? findStrictProblem(schema, "()")
      : undefined;
  return problem === undefined ? undefined : invalid(`Invalid schema for ${place} '${named.name}': ${problem}`);
}

const strictKeywords =
  /^(type|description|title|properties|required|additionalProperties|items|enum|const|anyOf|\$ref|\$defs|definitions|pattern|format|multipleOf|minimum|maximum|exclusiveMinimum|exclusiveMaximum|minItems|maxItems)$/;

function findStrictProblem(schema: Fields, place: string): string | undefined {
  const odd = Object.keys(schema).find((key) => !strictKeywords.test(key));
  if (odd) return `In context=${place}, '${odd}' is not permitted.`;
  if (schema.$ref !== undefined && Object.keys(schema).some((key) => key !== "$ref" && key !== "$defs"))
    return `In context=${place}, $ref cannot have keywords {'description'}.`;
  const typed = ["type", "anyOf", "$ref"].some((key) => schema[key] !== undefined);
  if (!typed) return `In context=${place}, schema must have a 'type' key.`;
  if (isRecord(schema.properties)) {
    if (schema.additionalProperties !== false)
      return `In context=${place}, 'additionalProperties' is required to be supplied and to be false.`;
    const names = Object.keys(schema.properties);
    const required: unknown[] = Array.isArray(schema.required) ? schema.required : [];
    const missing = names.find((name) => !required.includes(name));
    if (missing)
      return `In context=${place}, 'required' is required to be supplied and to be an array including every key in properties. Missing '${missing}'.`;
  } else if ([schema.type].flat().includes("object")) return `In context=${place}, object schema missing properties.`;
  return findInParts(schema, (part, name) => findStrictProblem(part, `${place}.${name}`));
}

function findInParts(schema: Fields, check: (part: Fields, name: string) => string | undefined): string | undefined {
  const named = [schema.properties, schema.$defs].flatMap((parts) => (isRecord(parts) ? Object.entries(parts) : []));
  const listed = listOf(schema.anyOf).map((part): [string, unknown] => ["anyOf", part]);
  for (const [name, part] of [...named, ...listed, ["items", schema.items] as [string, unknown]]) {
    const problem = isRecord(part) ? check(part, name) : undefined;
    if (problem) return problem;
  }
  return undefined;
}

const openApiKeywords =
  /^(type|description|title|properties|required|items|enum|anyOf|nullable|format|minimum|maximum|minItems|maxItems|propertyOrdering)$/;

function findOpenApiProblem(schema: Fields): string | undefined {
  const odd = Object.keys(schema).find((key) => !openApiKeywords.test(key));
  if (odd) return `Invalid JSON payload received. Unknown name "${odd}": Cannot find field.`;
  if (Array.isArray(schema.type)) return "Proto field is not repeating, cannot start list.";
  if (schema.type === "object" && Object.keys(recordOf(schema.properties)).length === 0)
    return "properties: should be non-empty for OBJECT type";
  return findInParts(schema, findOpenApiProblem);
}

function checkMessagesOptions({ body, model }: JournalEntry): Refusal | undefined {
  const { stop_sequences: stops, tool_choice: choice } = body;
  if (Array.isArray(stops) && stops.some((text) => typeof text !== "string" || text.trim() === ""))
    return invalid("stop_sequences: each stop sequence must contain non-whitespace");
  if (isRecord(choice)) {
    if (listOf(body.tools).length === 0) return invalid("tool_choice may only be specified while providing tools");
    if (!["auto", "any", "tool", "none"].includes(String(choice.type)))
      return invalid("tool_choice: Input tag is unknown");
    const isKnown = choice.type !== "tool" || listOf(body.tools).some(({ name }) => name === choice.name);
    if (!isKnown) return invalid(`Tool '${choice.name}' not found in provided tools`);
  }
  for (const name of ["stop", "response_format", "output_format"])
    if (body[name] !== undefined) return invalid(`${name}: Extra inputs are not permitted`);
  const { format } = recordOf(body.output_config);
  if (format === undefined) return undefined;
  if (/^claude-(3|(sonnet|haiku|opus)-4(-[01](-|$)|-\d{8}|$))/.test(model))
    return invalid(`output_config.format: structured outputs are not supported by '${model}'`);
  const { type, schema } = recordOf(format);
  if (type !== "json_schema" || !isRecord(schema))
    return invalid("output_config.format.type: Input should be 'json_schema'");
  const problem = findClaudeProblem(schema);
  return problem === undefined ? undefined : invalid(`output_config.format.schema: ${problem}`);
}

const claudeKeywords =
  /^(type|description|title|properties|required|additionalProperties|items|enum|const|anyOf|allOf|\$ref|\$defs|definitions|format|default)$/;

function findClaudeProblem(schema: Fields): string | undefined {
  const odd = Object.keys(schema).find((key) => !claudeKeywords.test(key));
  if (odd) return `For '${schema.type}' type, property '${odd}' is not supported`;
  if ([schema.type].flat().includes("object") && schema.additionalProperties !== false)
    return "For 'object' type, 'additionalProperties' must be explicitly set to false";
  return findInParts(schema, findClaudeProblem);
}
