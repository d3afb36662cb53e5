import type { AgentEvent } from "../../../core/events.ts";
import type { Outcome } from "../../../core/outcome.ts";
import { isRecord, toText } from "../../../kit/json.ts";
import { stopReasons } from "../../../render/event-lines.ts";
import { phaseTitles, planStates } from "../texts.ts";
import type { Confirmation } from "./run-view.ts";

/** Returns true when the value has the expected form. */
export type Check = (value: unknown) => boolean;

export const isText: Check = (value) => typeof value === "string";
export const isNumber: Check = (value) => typeof value === "number";
const isYesNo: Check = (value) => typeof value === "boolean";

export function isOneOf(words: readonly string[]): Check {
  return (value) => typeof value === "string" && words.includes(value);
}

export function isListOf(entry: Check): Check {
  return (value) => Array.isArray(value) && value.every(entry);
}

/** Accepts a missing value, null, and whatever the check accepts. */
export function isOptional(check: Check): Check {
  return (value) => value === undefined || value === null || check(value);
}

/** Accepts an object with these fields. Other fields are ignored. */
export function hasFields(checks: Readonly<Record<string, Check>>): Check {
  return (value) => isRecord(value) && Object.entries(checks).every(([name, check]) => check(value[name]));
}

/** Returns the valid events of an untrusted list and ignores the other items. */
export function readEvents(value: unknown): AgentEvent[] {
  return Array.isArray(value) ? value.filter(isEvent) : [];
}

/** Reads an untrusted outcome. Returns undefined when the value is not one. */
export function readOutcome(value: unknown): Outcome | undefined {
  return isOutcome(value) ? value : undefined;
}

/** Reads an untrusted description of what a run waits for. */
export function readConfirmation(told: unknown): Confirmation | undefined {
  if (!isRecord(told)) return undefined;
  return {
    kind: told.kind === "call" || told.kind === "question" ? told.kind : "plan",
    tool: toText(told.tool),
    arguments: isJson(told.arguments) ? told.arguments : undefined,
    message: toText(told.message),
  };
}

export const isPlanStep = hasFields({ description: isText, tool: isText, state: isOneOf(Object.keys(planStates)) });

const source = hasFields({ n: isNumber, title: isText, url: isText });
const price = isOptional(isNumber);
const problem = hasFields({ message: isText });

const modelBill = hasFields({
  provider: isText,
  model: isText,
  calls: isNumber,
  input_tokens: isNumber,
  output_tokens: isNumber,
  elapsed_ms: isNumber,
  cost_usd: price,
});

const statuses = ["complete", "partial", "failed", "cancelled", "running", "needs_confirmation"];

const outcome = hasFields({
  status: isOneOf(statuses),
  stop_reason: isOneOf(Object.keys(stopReasons)),
  response: isText,
  run_id: isText,
  tool_calls: isListOf(hasFields({ tool: isText, result: isText, ok: isYesNo, cached: isYesNo, elapsed_ms: isNumber })),
  citations: isListOf(source),
  meta: hasFields({
    models: hasFields({ function_call: modelBill, answer: modelBill }),
    agents: isOptional(hasFields({ runs: isNumber, total_tokens: isNumber, cost_usd: price })),
  }),
  error: isOptional(problem),
  confirmation: isOptional(hasFields({ kind: isText })),
});

const events: Readonly<Record<AgentEvent["type"], Check>> = {
  "run-start": hasFields({ runId: isText }),
  "phase-start": hasFields({ phase: isOneOf(Object.keys(phaseTitles)), step: isNumber, model: isText, reason: isText }),
  "reasoning-delta": hasFields({ text: isText }),
  "thought-delta": hasFields({ text: isText }),
  plan: hasFields({ steps: isListOf(isPlanStep) }),
  "tool-start": hasFields({ callId: isText, tool: isText }),
  "tool-progress": hasFields({ callId: isText, message: isText }),
  "tool-end": hasFields({
    callId: isText,
    ok: isYesNo,
    cached: isYesNo,
    preview: isText,
    elapsedMs: isNumber,
    top: isOptional(isListOf(source)),
    error: isOptional(problem),
  }),
  evaluation: hasFields({ message: isText }),
  notice: hasFields({ level: isText, message: isText }),
  "answer-delta": hasFields({ text: isText, citations: isOptional(isListOf(source)) }),
  "phase-end": hasFields({
    usage: hasFields({ inputTokens: isNumber, outputTokens: isNumber }),
    elapsedMs: isNumber,
    costUsd: price,
  }),
  "run-end": hasFields({ outcome }),
};

function isEvent(value: unknown): value is AgentEvent {
  return isRecord(value) && isEventType(value.type) && events[value.type](value);
}

function isEventType(type: unknown): type is AgentEvent["type"] {
  return typeof type === "string" && Object.hasOwn(events, type);
}

function isOutcome(value: unknown): value is Outcome {
  return outcome(value);
}

/** Everything in a parsed message is JSON unless it is missing. */
function isJson(value: unknown): value is Confirmation["arguments"] & {} {
  return value !== undefined && value !== null;
}
