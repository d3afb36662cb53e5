import { isRecord, toText } from "../../kit/json.ts";

/** Is what an agent tells while it works, as far as it is of use here. */
export type AgentUpdate =
  | { type: "text" | "thought"; text: string }
  | { type: "call"; isNew: boolean; call: ReadCall }
  | { type: "plan"; done: number; total: number; current: string }
  | { type: "usage"; used: number; cost: number | undefined }
  | { type: "modes"; modes: SessionChoice };

/** Holds what an agent has told of the modes of a session, or of its models. */
export interface SessionChoice {
  current?: string | undefined;
  available?: readonly string[] | undefined;
  /** Is the setting that holds it, where the agent tells it as one of several. */
  option?: string | undefined;
}

/** Holds what is known of a call. An agent tells of it in parts, and a later part replaces an earlier one. */
export interface ReadCall {
  id: string;
  title?: string | undefined;
  kind?: string | undefined;
  status?: string | undefined;
  content?: readonly unknown[] | undefined;
  rawInput?: unknown;
  paths?: readonly string[] | undefined;
}

/** Holds an update with the session that it is about. */
export interface SessionUpdate {
  sessionId: string;
  update: AgentUpdate;
}

/** Reads the parameters of `session/update`. Undefined for what is of no use here, or of no form that the protocol knows. */
export function readUpdate(params: unknown): SessionUpdate | undefined {
  if (!isRecord(params) || typeof params.sessionId !== "string" || !isRecord(params.update)) return undefined;
  const update = toUpdate(params.update);
  return update && { sessionId: params.sessionId, update };
}

function toUpdate(update: Record<string, unknown>): AgentUpdate | undefined {
  switch (update.sessionUpdate) {
    case "agent_message_chunk":
      return { type: "text", text: readText(update.content) };
    case "agent_thought_chunk":
      return { type: "thought", text: readText(update.content) };
    case "tool_call":
    case "tool_call_update": {
      const call = readCall(update);
      return call && { type: "call", isNew: update.sessionUpdate === "tool_call", call };
    }
    case "plan":
      return toPlan(update.entries);
    case "usage_update":
      return { type: "usage", used: toAmount(update.used) ?? 0, cost: toDollars(update.cost) };
    case "current_mode_update":
      return typeof update.currentModeId === "string"
        ? { type: "modes", modes: { current: update.currentModeId } }
        : undefined;
    case "config_option_update": {
      const modes = readOption(update.configOptions, "mode");
      return modes && { type: "modes", modes };
    }
    default:
      return undefined;
  }
}

/** Reads the modes or the models of a session where an agent tells them as a choice among others. */
export function readOption(options: unknown, wanted: "mode" | "model"): SessionChoice | undefined {
  const all = Array.isArray(options) ? options.filter(isRecord) : [];
  const option = all.find(({ type, category }) => type === "select" && category === wanted);
  if (typeof option?.id !== "string" || typeof option.currentValue !== "string") return undefined;
  const choices = Array.isArray(option.options) ? option.options.filter(isRecord) : [];
  // Choices may be in groups.
  const single = choices.flatMap((each) => (Array.isArray(each.options) ? each.options.filter(isRecord) : [each]));
  const available = single.flatMap(({ value }) => (typeof value === "string" ? [value] : []));
  return { current: option.currentValue, available, option: option.id };
}

/** Reads a call, or a part of what is known of it. */
export function readCall(value: Record<string, unknown>): ReadCall | undefined {
  const { toolCallId: id, title, kind, status, content, rawInput, locations } = value;
  if (typeof id !== "string") return undefined;
  const paths = Array.isArray(locations)
    ? locations.flatMap((each) => (isRecord(each) && typeof each.path === "string" ? [each.path] : []))
    : undefined;
  const known: ReadCall = {
    id,
    title: typeof title === "string" ? title : undefined,
    kind: typeof kind === "string" ? kind : undefined,
    status: typeof status === "string" ? status : undefined,
    content: Array.isArray(content) ? content : undefined,
    rawInput: rawInput ?? undefined,
    paths,
  };
  return known;
}

/** Returns what is known of a call after a further part of it. */
export function mergeCall(known: ReadCall | undefined, part: ReadCall): ReadCall {
  const told = Object.entries(part).filter(([, value]) => value !== undefined);
  return { ...known, id: part.id, ...Object.fromEntries(told) };
}

function readText(content: unknown): string {
  if (!isRecord(content)) return "";
  if (content.type === "text") return toText(content.text);
  return content.type === "resource_link" ? toText(content.uri) : "";
}

function toPlan(entries: unknown): AgentUpdate | undefined {
  if (!Array.isArray(entries)) return undefined;
  const steps = entries.filter(isRecord);
  const current = steps.find(({ status }) => status === "in_progress");
  return {
    type: "plan",
    done: steps.filter(({ status }) => status === "completed").length,
    total: steps.length,
    current: toText(current?.content),
  };
}

/** Only dollars can be added to a bill. */
function toDollars(cost: unknown): number | undefined {
  return isRecord(cost) && cost.currency === "USD" ? toAmount(cost.amount) : undefined;
}

/** Returns a number that a bill can have. */
export function toAmount(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : undefined;
}
