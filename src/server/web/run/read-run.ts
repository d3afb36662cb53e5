import type { AgentEvent } from "../../../core/events.ts";
import type { Outcome } from "../../../core/outcome.ts";
import { isRecord, textOf } from "../../../kit/json.ts";
import { stopReasons } from "../../../render/event-lines.ts";
import { phaseTitles, planStates } from "../texts.ts";
import { type Check, fields, isNumber, isText, isYesNo, listOf, oneOf, optional } from "./checks.ts";
import type { Confirmation } from "./run-view.ts";

/** The events among what came from outside; what is none is passed over. */
export function readEvents(value: unknown): AgentEvent[] {
  return Array.isArray(value) ? value.filter(isEvent) : [];
}

/** The outcome that came from outside; undefined where it is none. */
export function readOutcome(value: unknown): Outcome | undefined {
  return isOutcome(value) ? value : undefined;
}

/** What a run waits for, from outside. */
export function readConfirmation(told: unknown): Confirmation | undefined {
  if (!isRecord(told)) return undefined;
  return {
    kind: told.kind === "call" || told.kind === "question" ? told.kind : "plan",
    tool: textOf(told.tool),
    arguments: isJson(told.arguments) ? told.arguments : undefined,
    message: textOf(told.message),
  };
}

/** A step of a plan, of an event or of a trace. */
export const isPlanStep = fields({ description: isText, tool: isText, state: oneOf(Object.keys(planStates)) });

const source = fields({ n: isNumber, title: isText, url: isText });
const price = optional(isNumber);
const problem = fields({ message: isText });

const modelBill = fields({
  provider: isText,
  model: isText,
  calls: isNumber,
  input_tokens: isNumber,
  output_tokens: isNumber,
  elapsed_ms: isNumber,
  cost_usd: price,
});

const statuses = ["complete", "partial", "failed", "cancelled", "running", "needs_confirmation"];

const outcome = fields({
  status: oneOf(statuses),
  stop_reason: oneOf(Object.keys(stopReasons)),
  response: isText,
  run_id: isText,
  tool_calls: listOf(fields({ tool: isText, result: isText, ok: isYesNo, cached: isYesNo, elapsed_ms: isNumber })),
  citations: listOf(source),
  meta: fields({
    models: fields({ function_call: modelBill, answer: modelBill }),
    agents: optional(fields({ runs: isNumber, total_tokens: isNumber, cost_usd: price })),
  }),
  error: optional(problem),
  confirmation: optional(fields({ kind: isText })),
});

const events: Readonly<Record<AgentEvent["type"], Check>> = {
  "run-start": fields({ runId: isText }),
  "phase-start": fields({ phase: oneOf(Object.keys(phaseTitles)), step: isNumber, model: isText, reason: isText }),
  "reasoning-delta": fields({ text: isText }),
  "thought-delta": fields({ text: isText }),
  plan: fields({ steps: listOf(isPlanStep) }),
  "tool-start": fields({ callId: isText, tool: isText }),
  "tool-progress": fields({ callId: isText, message: isText }),
  "tool-end": fields({
    callId: isText,
    ok: isYesNo,
    cached: isYesNo,
    preview: isText,
    elapsedMs: isNumber,
    top: optional(listOf(source)),
    error: optional(problem),
  }),
  evaluation: fields({ message: isText }),
  notice: fields({ level: isText, message: isText }),
  "answer-delta": fields({ text: isText, citations: optional(listOf(source)) }),
  "phase-end": fields({
    usage: fields({ inputTokens: isNumber, outputTokens: isNumber }),
    elapsedMs: isNumber,
    costUsd: price,
  }),
  "run-end": fields({ outcome }),
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

/** All that comes out of a message is JSON, unless it is not there. */
function isJson(value: unknown): value is Confirmation["arguments"] & {} {
  return value !== undefined && value !== null;
}
