import { hash } from "node:crypto";
import type { ClientToolCall, ClientToolDefinition } from "../../core/client-tools.ts";
import type { ToolChoice } from "../../core/model/model.ts";
import { isRecord, type JsonSchema, toText, tryParseJson } from "../../kit/json.ts";
import type { Text } from "../../kit/locale.ts";
import { fieldRefusedError } from "../model-api/field-refused-error.ts";
import { itemPrefixes, toItemId } from "./ids.ts";
import type { WireCustomCall, WireFunctionCall } from "./response-object.ts";

/** Holds what a request's `tools` and `tool_choice` mean for a run. */
export interface ReadTools {
  tools: ClientToolDefinition[];
  /** Names the place of each tool in the request. */
  places: string[];
  toolChoice: ToolChoice | undefined;
  /** Is true where the client wants the web searched. */
  search: boolean;
  /** Tells the reader which of them are not used. */
  notes: Text[];
  /** Returns a call as the item that the client gets. */
  writeCall(call: ClientToolCall): WrittenCall;
}

/** Represents a call in the form of its tool's kind. */
export interface WrittenCall {
  item(responseId: string, index: number): WireFunctionCall | WireCustomCall;
  /** Is what the model wrote, and the item's field that holds it. */
  written: string;
  field: "arguments" | "input";
  events: (typeof callEvents)[keyof typeof callEvents];
}

const callEvents = {
  function: { delta: "response.function_call_arguments.delta", done: "response.function_call_arguments.done" },
  custom: { delta: "response.custom_tool_call_input.delta", done: "response.custom_tool_call_input.done" },
} as const;

/** Represents a tool as the client knows it. */
interface KnownTool {
  kind: "function" | "custom";
  name: string;
  /** Is the group that the client has put the tool into. */
  namespace: string | undefined;
  tool: ClientToolDefinition;
  place: string;
}

const noSchema: JsonSchema = { type: "object", properties: {} };

/** Reads the tools of a request. Throws `HttpRefusalError` (400) for one without a name, and for a choice of one that is not there. */
export function readTools(tools: readonly Record<string, unknown>[], choice: unknown): ReadTools {
  const known: KnownTool[] = [];
  const unused = new Set<string>();
  let search = false;
  function add(list: readonly unknown[], field: string, namespace?: string): void {
    for (const [index, each] of list.entries()) {
      const place = `${field}[${index}]`;
      const tool = isRecord(each) ? each : {};
      const type = toText(tool.type);
      if (type === "function") known.push(readFunction(tool, place, namespace));
      else if (type === "custom") known.push(readCustom(tool, place, namespace));
      else if (type === "namespace" && Array.isArray(tool.tools))
        add(tool.tools, `${place}.tools`, readName(tool, place));
      else if (isSearch(type)) search = true;
      else unused.add(type);
    }
  }
  add(tools, "tools");
  const chosen = readChoice(choice, known);
  const usable = chosen.only ?? known;
  return {
    tools: usable.map(({ tool }) => tool),
    places: usable.map(({ place }) => place),
    toolChoice: chosen.toolChoice,
    search: search || chosen.search === true,
    notes: unused.size > 0 ? [describeUnused([...unused])] : [],
    writeCall: (call) =>
      writeCall(
        call,
        known.find(({ tool }) => tool.name === call.name),
      ),
  };
}

/** Limits the name of a tool. */
const longestName = 64;

/** Returns the name under which the model knows a tool. One that is too long with its group ends in a hash. */
export function toToolName(name: string, namespace: string | undefined): string {
  if (namespace === undefined || namespace === "") return name;
  const whole = namespace.endsWith("__") ? `${namespace}${name}` : `${namespace}__${name}`;
  return whole.length <= longestName
    ? whole
    : `${whole.slice(0, longestName - 9)}_${hash("sha256", whole).slice(0, 8)}`;
}

/** Returns the arguments of a call of a tool that takes a plain text. */
export function toCustomArguments(input: string): string {
  return JSON.stringify({ input });
}

/** Dates follow the names of some versions. */
function isSearch(type: string): boolean {
  return /^web_search(?:_preview)?(?:_\d{4}_\d{2}_\d{2})?$/.test(type);
}

function readName(tool: Record<string, unknown>, place: string): string {
  const name = toText(tool.name);
  if (name !== "") return name;
  throw fieldRefusedError(`${place}.name`, noName);
}

const noName: Text = { zh: "缺少（允许：工具的名称）", en: "is missing (allowed: the name of a tool)" };

function readFunction(tool: Record<string, unknown>, place: string, namespace: string | undefined): KnownTool {
  const name = readName(tool, place);
  const inputSchema = isRecord(tool.parameters) ? tool.parameters : noSchema;
  const own = { name: toToolName(name, namespace), description: toText(tool.description), inputSchema };
  return { kind: "function", name, namespace, tool: own, place };
}

/** A tool of this kind takes a text, which a grammar may describe. */
function readCustom(tool: Record<string, unknown>, place: string, namespace: string | undefined): KnownTool {
  const name = readName(tool, place);
  const { syntax, definition } = isRecord(tool.format) ? tool.format : {};
  const grammar = toText(definition);
  const rule = grammar === "" ? "" : `\n\nThe input follows this grammar (${toText(syntax)}):\n${grammar}`;
  const input = { type: "string", description: "The whole input of the tool, as plain text." };
  const inputSchema = { type: "object", properties: { input }, required: ["input"], additionalProperties: false };
  const own = { name: toToolName(name, namespace), description: toText(tool.description) + rule, inputSchema };
  return { kind: "custom", name, namespace, tool: own, place };
}

interface Choice {
  toolChoice?: ToolChoice | undefined;
  /** Limits the tools. */
  only?: KnownTool[] | undefined;
  search?: boolean;
}

function readChoice(choice: unknown, known: readonly KnownTool[]): Choice {
  if (choice === undefined || choice === null || choice === "auto") return {};
  if (choice === "none" || choice === "required") return { toolChoice: choice };
  const { type, mode, tools } = isRecord(choice) ? choice : {};
  if (type === "function" || type === "custom") return { toolChoice: { tool: findTool(choice, known).tool.name } };
  if (type === "allowed_tools" && Array.isArray(tools)) {
    const wanted = tools.filter((each) => isRecord(each) && (each.type === "function" || each.type === "custom"));
    const only = wanted.map((each) => findTool(each, known));
    return { only, toolChoice: mode === "required" ? "required" : undefined };
  }
  if (isSearch(toText(type))) return { search: true };
  throw fieldRefusedError("tool_choice", describeChoice(choice, known));
}

function findTool(choice: unknown, known: readonly KnownTool[]): KnownTool {
  const name = isRecord(choice) ? toText(choice.name) : "";
  const found = known.find((each) => each.name === name || each.tool.name === name);
  if (found !== undefined) return found;
  throw fieldRefusedError("tool_choice", describeChoice(choice, known));
}

function describeChoice(choice: unknown, known: readonly KnownTool[]): Text {
  const shown = JSON.stringify(choice).slice(0, 100);
  const names = known.map(({ name }) => name).slice(0, 20);
  const allowed = ["auto", "none", "required", ...names].join(", ");
  return { zh: `${shown} 不可用（允许：${allowed}）`, en: `${shown} (allowed: ${allowed})` };
}

function describeUnused(types: readonly string[]): Text {
  const shown = types.map((type) => JSON.stringify(type.slice(0, 50))).join(", ");
  return {
    zh: `未使用这些类型的工具：${shown}（可用：function、custom、namespace、web_search）。`,
    en: `Tools of these kinds are not used: ${shown} (usable: function, custom, namespace, web_search).`,
  };
}

function writeCall({ id, name, argumentsText }: ClientToolCall, known: KnownTool | undefined): WrittenCall {
  const named = { call_id: id, name: known?.name ?? name, ...(known?.namespace && { namespace: known.namespace }) };
  const status = "in_progress" as const;
  if (known?.kind === "custom")
    return {
      item: (responseId, index) => ({
        id: toItemId(itemPrefixes.customCall, responseId, index),
        type: "custom_tool_call",
        status,
        ...named,
        input: "",
      }),
      written: readCustomInput(argumentsText),
      field: "input",
      events: callEvents.custom,
    };
  return {
    item: (responseId, index) => ({
      id: toItemId(itemPrefixes.call, responseId, index),
      type: "function_call",
      status,
      ...named,
      arguments: "",
    }),
    written: argumentsText,
    field: "arguments",
    events: callEvents.function,
  };
}

/** Returns a call of an earlier response as it was written. */
export function toWrittenCall(item: WireFunctionCall | WireCustomCall): WrittenCall {
  const status = "in_progress" as const;
  return item.type === "function_call"
    ? {
        item: () => ({ ...item, arguments: "", status }),
        written: item.arguments,
        field: "arguments",
        events: callEvents.function,
      }
    : { item: () => ({ ...item, input: "", status }), written: item.input, field: "input", events: callEvents.custom };
}

function readCustomInput(argumentsText: string): string {
  const given = tryParseJson(argumentsText);
  return isRecord(given) && typeof given.input === "string" ? given.input : argumentsText;
}
