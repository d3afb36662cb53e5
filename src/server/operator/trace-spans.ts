import type * as z from "zod";
import type { AgentTrace, TracePhase, TraceStep } from "../../core/run/trace.ts";
import type { operatorSpansSchema } from "../../core/schemas/operator-schema.ts";

export type RunSpans = z.infer<typeof operatorSpansSchema>;

type Span = RunSpans["spans"][number];

/** Limits the spans of one run. */
const mostSpans = 500;

/**
 * Returns when the turns of models and the calls of tools began and how long they took, in the order in which they began. In traces of
 * earlier versions a turn has no time: there it begins where what came before it has ended.
 */
export function toSpans({ run_id, status, started_at, total_ms, phases, steps }: AgentTrace): RunSpans {
  const origin = Date.parse(started_at);
  const calls = steps.filter(({ action }) => action?.type === "action");
  const toCallSpan = (call: TraceStep): Span => ({
    kind: "call",
    name: call.action?.tool ?? "",
    phase: null,
    start_ms: Math.max(0, Date.parse(call.timestamp) - origin),
    duration_ms: call.elapsed_ms,
    ok: call.error === undefined,
    total_tokens: null,
  });
  const spans: Span[] = [];
  let latestEnd = 0;
  const add = (span: Span): void => {
    spans.push(span);
    latestEnd = Math.max(latestEnd, span.start_ms + span.duration_ms);
  };
  for (const call of calls) if ((call.phase ?? 0) < 1) add(toCallSpan(call));
  for (const [index, phase] of phases.entries()) {
    const began = phase.timestamp === undefined ? latestEnd : Math.max(0, Date.parse(phase.timestamp) - origin);
    add(toTurnSpan(phase, began));
    for (const call of calls) if (call.phase === index + 1) add(toCallSpan(call));
  }
  const ordered = spans.toSorted((one, other) => one.start_ms - other.start_ms);
  return {
    ...{ run_id, status, started_at, total_ms: Math.max(total_ms, latestEnd) },
    spans: ordered.slice(0, mostSpans),
    left_out: Math.max(0, ordered.length - mostSpans),
  };
}

function toTurnSpan(
  { phase, model, elapsed_ms, input_tokens, output_tokens, failed }: TracePhase,
  start: number,
): Span {
  return {
    ...{ kind: "turn", name: model, phase, start_ms: start, duration_ms: elapsed_ms },
    ...{ ok: failed !== true, total_tokens: input_tokens + output_tokens },
  };
}
