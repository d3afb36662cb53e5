import type { AgentEvent, PhaseEnd } from "../core/events.ts";
import type { Citation, Mode, ModelBill, Outcome, ToolCallRecord } from "../core/outcome.ts";

export interface RunSnapshotOptions {
  runId: string;
  /** Is the conversation that the question names. In a new conversation it is empty until the run has begun. */
  conversationId: string;
  mode: Mode;
}

/** Collects what an active run has produced so far from its events. */
export interface RunSnapshot {
  readonly conversationId: string;
  handle(event: AgentEvent): void;
  /**
   * Returns the result so far (the contract's section 5), with the status `running`. Results of calls are cut to their
   * beginnings.
   */
  outcome(): Outcome;
  /** Frees the collected answer, calls and citations. Only the id of the conversation is still needed. */
  close(): void;
}

export function createRunSnapshot({ runId, conversationId, mode }: RunSnapshotOptions): RunSnapshot {
  const began = performance.now();
  const calls = new Map<string, ToolCallRecord>();
  const citations: Citation[] = [];
  const bills = { function_call: emptyBill(), answer: emptyBill() };
  const known = { conversationId, traceId: "", mode, response: "", iterations: 0 };

  function addPhase({ phase, model, usage, elapsedMs, costUsd }: PhaseEnd): void {
    const bill = bills[phase === "answer" ? "answer" : "function_call"];
    if (phase !== "answer") known.iterations += 1;
    name(bill, model);
    // A sum in which something is not known is not known.
    bill.cost_usd = bill.cost_usd === null || costUsd === null ? null : bill.cost_usd + costUsd;
    bill.calls += 1;
    bill.input_tokens += usage.inputTokens;
    bill.output_tokens += usage.outputTokens;
    bill.reasoning_tokens += usage.reasoningTokens;
    bill.cached_tokens += usage.cachedTokens;
    bill.elapsed_ms += Math.round(elapsedMs);
  }

  return {
    get conversationId() {
      return known.conversationId;
    },
    handle(event) {
      if (event.type === "run-start") {
        known.conversationId = event.conversationId;
        known.traceId = event.traceId;
        known.mode = event.mode;
        name(bills.function_call, event.models.functionCall);
        name(bills.answer, event.models.answer);
      } else if (event.type === "tool-start") {
        const { tool, arguments: args } = event;
        calls.set(event.callId, { tool, arguments: args, result: "", ok: false, cached: false, elapsed_ms: 0 });
      } else if (event.type === "tool-end") {
        const call = calls.get(event.callId);
        if (call === undefined) return;
        call.result = event.preview;
        call.ok = event.ok;
        call.cached = event.cached;
        call.elapsed_ms = event.elapsedMs;
      } else if (event.type === "answer-delta") {
        known.response += event.text;
        citations.push(...(event.citations ?? []));
      } else if (event.type === "phase-end") addPhase(event);
    },
    close() {
      known.response = "";
      calls.clear();
      citations.length = 0;
    },
    outcome() {
      const { function_call, answer } = bills;
      const used = [function_call, answer].filter(({ calls }) => calls > 0);
      const costs = used.map(({ cost_usd }) => cost_usd).filter((cost) => cost !== null);
      return {
        success: true,
        status: "running",
        stop_reason: "running",
        response: known.response,
        conversation_id: known.conversationId,
        run_id: runId,
        trace_id: known.traceId,
        tool_calls: [...calls.values()].map((call) => ({ ...call })),
        citations: [...citations],
        meta: {
          total_tokens: used.reduce((sum, bill) => sum + bill.input_tokens + bill.output_tokens, 0),
          tool_calls_count: calls.size,
          latency_ms: Math.round(performance.now() - began),
          iterations: known.iterations,
          mode: known.mode,
          cost_usd: used.length > 0 && costs.length === used.length ? costs.reduce((sum, cost) => sum + cost, 0) : null,
          models: { function_call: shown(function_call), answer: shown(answer) },
        },
        error: null,
      };
    },
  };
}

function emptyBill(): ModelBill {
  return {
    provider: "",
    model: "",
    calls: 0,
    input_tokens: 0,
    output_tokens: 0,
    reasoning_tokens: 0,
    cached_tokens: 0,
    elapsed_ms: 0,
    cost_usd: 0,
  };
}

/** A model that made no calls has no cost. */
function shown(bill: ModelBill): ModelBill {
  return bill.calls === 0 ? { ...bill, cost_usd: null } : { ...bill };
}

/** Events name models `provider/model`; the model may contain a slash of its own. */
function name(bill: ModelBill, named: string): void {
  const slash = named.indexOf("/");
  bill.provider = slash < 0 ? "" : named.slice(0, slash);
  bill.model = named.slice(slash + 1);
}
