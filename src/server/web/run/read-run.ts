import type { AgentEvent } from "../../../core/run/events.ts";
import type { Outcome } from "../../../core/run/outcome.ts";
import { isRecord, toText } from "../../../kit/json.ts";
import { eventShapes, outcomeShape } from "./known-shapes.ts";
import type { Confirmation } from "./run-view.ts";
import { hasShape } from "./shape.ts";

/** Returns the valid events of an untrusted list and ignores the other items. */
export function readEvents(value: unknown): AgentEvent[] {
  return Array.isArray(value) ? value.filter(isEvent) : [];
}

/** Reads an untrusted outcome. Returns undefined when the value is not one. */
export function readOutcome(value: unknown): Outcome | undefined {
  return isOutcome(value) ? value : undefined;
}

/** Reads an untrusted description of what a run waits for. */
export function readConfirmation(value: unknown): Confirmation | undefined {
  if (!isRecord(value)) return undefined;
  return {
    kind: value.kind === "call" || value.kind === "question" ? value.kind : "plan",
    tool: toText(value.tool),
    arguments: isJson(value.arguments) ? value.arguments : undefined,
    message: toText(value.message),
  };
}

function isEvent(value: unknown): value is AgentEvent {
  return isRecord(value) && isEventType(value.type) && hasShape(eventShapes[value.type], value);
}

function isEventType(type: unknown): type is AgentEvent["type"] {
  return typeof type === "string" && Object.hasOwn(eventShapes, type);
}

function isOutcome(value: unknown): value is Outcome {
  return hasShape(outcomeShape, value);
}

/** Everything in a parsed message is JSON unless it is missing. */
function isJson(value: unknown): value is Confirmation["arguments"] & {} {
  return value !== undefined && value !== null;
}
