import { createChildTrace } from "../../core/chain.ts";
import type { RunFacts, ToolContext } from "../../core/tools/tool.ts";
import { sanitizeLine } from "../../kit/text/sanitize.ts";
import type { Budget } from "../limits/sub-agents.ts";
import { getRemainingBudget } from "../limits/usage.ts";
import { unanswered } from "../questions/elicit.ts";
import type { Run } from "../run.ts";

export interface CallContext extends ToolContext {
  /** How long the call has waited for a person, in milliseconds: no time of the tool's. */
  readonly waitedMs: number;
  /** What an agent below may use for it. */
  readonly lent: Budget;
  close(): void;
}

/** What a tool says after its call has ended is dropped: its events stand between `tool-start` and `tool-end`. */
export function openCallContext(run: Run, callId: string): CallContext {
  const { approve, elicit } = run;
  const reservation = run.subAgents.reserveBudget(getRemainingBudget(run));
  let open = true;
  let waitedMs = 0;
  let waits = 0;
  let began = 0;

  /** Waits for several answers at once are one wait. */
  async function waitFor<T>(answer: () => Promise<T>): Promise<T> {
    if (waits === 0) began = performance.now();
    waits += 1;
    try {
      return await answer();
    } finally {
      waits -= 1;
      if (waits === 0) waitedMs += performance.now() - began;
    }
  }

  return {
    get waitedMs() {
      return waitedMs;
    },
    lent: reservation,
    signal: run.decideSignal,
    locale: run.language,
    chain: { depth: run.depth + 1, deadline: run.clock.deadline(), budget: reservation.tokens, cost: reservation.cost },
    trace: createChildTrace(run.traceId, run.trace),
    approve: approve && ((request) => waitFor(() => approve(request))),
    elicit:
      elicit &&
      Object.assign(
        async (...question: Parameters<typeof elicit>) => (open ? waitFor(() => elicit(...question)) : unanswered),
        { person: elicit.person },
      ),
    facts: () => factsOf(run),
    progress(message, progress, total) {
      if (!open) return;
      run.emit({ type: "tool-progress", callId, message: sanitizeLine(message), progress, total });
    },
    notice(code, message) {
      if (open) run.emit({ type: "notice", level: "info", code, message });
    },
    close() {
      open = false;
      reservation.release();
    },
  };
}

function factsOf(run: Run): RunFacts {
  const { tools, catalog, limits, clock, calls } = run;
  const { maxToolCalls, maxIterations } = limits;
  return {
    tools: [...tools.keys()],
    toolCallsLeft: Math.max(0, maxToolCalls - calls.filter(({ tool }) => tool !== catalog.finder?.name).length),
    maxToolCalls,
    maxIterations,
    leftMs: Math.max(0, clock.deadline() - Date.now()),
    tokensLeft: getRemainingBudget(run).tokens,
  };
}
