import type { AgentEvent } from "../../core/events.ts";
import type { Message } from "../../core/messages.ts";
import { addUsage, type FinishReason, type Model, noUsage, toModelName, type Usage } from "../../core/model.ts";
import { hasSucceeded, type Outcome, type Status, type StopReason } from "../../core/outcome.ts";
import { createTimeLimit, timeoutError } from "../../kit/async/timeout.ts";
import { DuetError, toDuetError } from "../../kit/errors.ts";
import { createRandomHex } from "../../kit/random.ts";
import { createRunSnapshot } from "../../runs/run-snapshot.ts";

export interface SideRun {
  runId: string;
  model: Model;
  messages: Message[];
  /** Output tokens. */
  maxTokens: number;
  signal: AbortSignal | undefined;
}

/** For a title or some tags, in milliseconds. */
const longestMs = 30_000;

/** One turn of a model as the events of a run: no prompt of ours, no tools, nothing kept. Throws what the model throws. */
export async function* streamSideRun({
  runId,
  model,
  messages,
  maxTokens,
  signal,
}: SideRun): AsyncGenerator<AgentEvent> {
  const name = toModelName(model);
  const began = performance.now();
  const snapshot = createRunSnapshot({ runId, conversationId: "", mode: "chat" });
  const bill = createBill(model);
  const limit = createTimeLimit(longestMs, () => timeoutError(name, longestMs), signal);
  const place = { phase: "decide", step: 1, model: name } as const;
  let finish: FinishReason | undefined;
  let failure: DuetError | undefined;

  function told(event: AgentEvent): AgentEvent {
    snapshot.handle(event);
    return event;
  }

  const models = { functionCall: name, answer: name };
  const traceId = createRandomHex();
  yield told({ type: "run-start", runId, traceId, conversationId: "", mode: "chat", models, toolCount: 0 });
  yield told({ type: "phase-start", ...place, reason: "" });
  try {
    const run = { id: runId, leftMs: () => limit.leftMs };
    for await (const event of model.stream({ messages, tools: [], maxTokens, run }, limit.signal)) {
      if (event.type === "text-delta") yield told({ type: "answer-delta", text: event.text });
      else if (event.type === "spent") bill.add(event.usage);
      else if (event.type === "turn-end") {
        bill.add(event.turn.usage);
        finish = event.turn.finish;
      }
    }
    if (finish === undefined) throw new DuetError({ code: "bad_response", text: unfinished });
  } catch (thrown) {
    failure = toDuetError(thrown);
  } finally {
    limit.clear();
  }
  const error = signal?.aborted ? "cancelled" : failure?.code;
  const elapsedMs = Math.round(performance.now() - began);
  yield told({ type: "phase-end", ...place, ...bill.total(), elapsedMs, finish, error });
  if (failure !== undefined) throw failure;
  yield { type: "run-end", outcome: endOf(snapshot.outcome(), finish) };
}

/** Of all attempts; the cost is null where one of them has none that is known. */
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

function endOf(soFar: Outcome, finish: FinishReason = "stop"): Outcome {
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

const unfinished = { zh: "模型的回复没有结束标记", en: "the model ended its reply without a terminal marker" };
