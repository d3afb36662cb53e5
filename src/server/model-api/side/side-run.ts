import {
  addUsage,
  type FinishReason,
  type Model,
  type ModelEvent,
  type ModelRequest,
  noUsage,
  toModelName,
  type Usage,
} from "../../../core/model/model.ts";
import type { AgentEvent } from "../../../core/run/events.ts";
import { hasSucceeded, type Outcome, type Status, type StopReason } from "../../../core/run/outcome.ts";
import { createPushedStream } from "../../../kit/async/pushed-stream.ts";
import { createTimeLimit, followSignal, timeoutError } from "../../../kit/async/timeout.ts";
import { type DuetError, toDuetError } from "../../../kit/errors.ts";
import { createRandomHex } from "../../../kit/random.ts";
import { createRunSnapshot } from "../../../runs/live/run-snapshot.ts";

export interface SideRun {
  runId: string;
  model: Model;
  request: ModelRequest;
  signal: AbortSignal | undefined;
}

/** Limits the time for a title or some tags, in milliseconds. */
const longestMs = 30_000;

/**
 * Streams one turn of a model as the events of a run, without our prompt, without tools and without storing anything. Throws
 * what the model throws.
 */
export function streamSideRun(sideRun: SideRun): AsyncGenerator<AgentEvent> {
  return createPushedStream((push, left) => runAside(sideRun, push, left));
}

async function runAside(
  { runId, model, request, signal }: SideRun,
  push: (event: AgentEvent) => void,
  left: AbortSignal,
): Promise<void> {
  const name = toModelName(model);
  const began = performance.now();
  const snapshot = createRunSnapshot({ runId, conversationId: "", mode: "chat" });
  const bill = createBill(model);
  const stop = new AbortController();
  const unfollow = [signal, left].map((each) => followSignal(stop, each));
  const limit = createTimeLimit(longestMs, () => timeoutError(name, longestMs), stop.signal);
  const place = { phase: "decide", step: 1, model: name } as const;
  let finish: FinishReason | undefined;
  let failure: DuetError | undefined;

  function emit(event: AgentEvent): void {
    snapshot.handle(event);
    push(event);
  }

  function handleModelEvent(event: ModelEvent): void {
    if (event.type === "text-delta") emit({ type: "answer-delta", text: event.text });
    else if (event.type === "spent") bill.add(event.usage);
  }

  const models = { functionCall: name, answer: name };
  const traceId = createRandomHex();
  emit({ type: "run-start", runId, traceId, conversationId: "", mode: "chat", models, toolCount: 0 });
  emit({ type: "phase-start", ...place, reason: "" });
  try {
    // A model that goes by rules can name nothing, and the client goes on without.
    if (model.followsPrompts !== false) {
      const run = { id: runId, leftMs: limit.getLeftMs };
      const turn = await model.stream({ ...request, run }, handleModelEvent, limit.signal);
      bill.add(turn.usage);
      finish = turn.finish;
    }
  } catch (thrown) {
    failure = toDuetError(thrown);
  } finally {
    limit.clear();
    for (const each of unfollow) each();
  }
  const error = stop.signal.aborted ? "cancelled" : failure?.code;
  const elapsedMs = Math.round(performance.now() - began);
  emit({ type: "phase-end", ...place, ...bill.total(), elapsedMs, finish, error });
  if (failure !== undefined) throw failure;
  push({ type: "run-end", outcome: toSideOutcome(snapshot.outcome(), finish) });
}

/** Adds up all attempts. The cost is null when the cost of one of them is unknown. */
function createBill(model: Model) {
  let usage = noUsage;
  const costs: (number | null)[] = [];
  return {
    add(used: Usage): void {
      usage = addUsage(usage, used);
      costs.push(model.cost?.(used) ?? null);
    },
    total() {
      const known = costs.filter((cost) => cost !== null);
      const costUsd =
        known.length > 0 && known.length === costs.length ? known.reduce((sum, cost) => sum + cost, 0) : null;
      return { usage, costUsd };
    },
  };
}

function toSideOutcome(soFar: Outcome, finish: FinishReason = "stop"): Outcome {
  const [status, stop_reason] = ends[finish];
  return { ...soFar, success: hasSucceeded(status), status, stop_reason };
}

const ends: Readonly<Record<FinishReason, readonly [Status, StopReason]>> = {
  stop: ["complete", "answered"],
  "tool-calls": ["complete", "answered"],
  length: ["partial", "length"],
  refused: ["partial", "refused"],
  "content-filter": ["partial", "refused"],
};
