import { addNotices, type OutcomeNotice, toOutcomeNotices } from "../../core/notices/outcome-notices.ts";
import type { AgentEvent } from "../../core/run/events.ts";
import type { Mode, ModelBill, Outcome, ToolCallRecord } from "../../core/run/outcome.ts";
import { reduceRun } from "../../core/run/reduce-run.ts";
import { type CallEntry, createRunState, type RunItem } from "../../core/run/run-state.ts";
import type { Mutable } from "../../kit/mutable.ts";

export interface RunSnapshotOptions {
  runId: string;
  /** Is the conversation that the question names. In a new conversation it is empty until that is open. */
  conversationId: string;
  mode: Mode;
}

/** Collects what an active run has produced so far from its events. */
export interface RunSnapshot {
  readonly conversationId: string;
  /** Tells the conversation that was opened for the question before the run begins. */
  nameConversation(id: string): void;
  /** Returns what the event changed. Its times are those of `performance.now()`. */
  handle(event: AgentEvent): RunItem | undefined;
  /**
   * Returns the result so far (docs/development/contract.md#result), with the status `running`. Results of calls are cut to their
   * beginnings.
   */
  outcome(): Outcome;
  /** Frees the collected answer, calls and citations. Only the id of the conversation is still needed. */
  close(): void;
}

export function createRunSnapshot({ runId, conversationId, mode }: RunSnapshotOptions): RunSnapshot {
  const began = performance.now();
  // An outcome has neither thoughts nor notes.
  const limits = { longestThought: 0, mostNotes: 0 };
  let state = createRunState(limits);
  let notices: OutcomeNotice[] = [];

  const snapshot: Mutable<RunSnapshot> = {
    conversationId,
    nameConversation(id) {
      snapshot.conversationId = id;
    },
    handle(event) {
      if (event.type === "notice") notices = toOutcomeNotices([...notices, event]);
      const item = reduceRun(state, event, performance.now());
      snapshot.conversationId = state.start?.conversationId ?? snapshot.conversationId;
      return item;
    },
    close() {
      notices = [];
      state = { ...createRunState(limits), start: state.start, bills: state.bills, iterations: state.iterations };
    },
    outcome() {
      const { function_call, answer, compact } = state.bills;
      const used = [function_call, answer, compact].filter(({ calls }) => calls > 0);
      const costs = used.map(({ cost_usd }) => cost_usd).filter((cost) => cost !== null);
      const outcome: Outcome = {
        success: true,
        status: "running",
        stop_reason: "running",
        response: state.answer.text,
        conversation_id: snapshot.conversationId,
        run_id: runId,
        trace_id: state.start?.traceId ?? "",
        tool_calls: state.calls.map(toRecord),
        citations: [...state.answer.citations],
        meta: {
          total_tokens: used.reduce((sum, bill) => sum + bill.input_tokens + bill.output_tokens, 0),
          tool_calls_count: state.calls.length,
          latency_ms: Math.round(performance.now() - began),
          iterations: state.iterations,
          mode: state.start?.mode ?? mode,
          cost_usd: used.length > 0 && costs.length === used.length ? costs.reduce((sum, cost) => sum + cost, 0) : null,
          models: {
            function_call: hideUnusedCost(function_call),
            answer: hideUnusedCost(answer),
            ...(compact.calls > 0 && { compact: hideUnusedCost(compact) }),
          },
        },
        error: null,
      };
      return addNotices(outcome, notices);
    },
  };
  return snapshot;
}

function toRecord({ start, end }: CallEntry): ToolCallRecord {
  return {
    tool: start.tool,
    arguments: start.arguments,
    result: end?.preview ?? "",
    ok: end?.ok ?? false,
    cached: end?.cached ?? false,
    elapsed_ms: end?.elapsedMs ?? 0,
  };
}

/** A model that made no calls has no cost. */
function hideUnusedCost(bill: ModelBill): ModelBill {
  return bill.calls === 0 ? { ...bill, cost_usd: null } : { ...bill };
}
