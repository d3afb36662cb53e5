import type { AskRequest } from "../../app.ts";
import { type Chain, traceIdOf } from "../../core/chain.ts";
import type { Locale } from "../../core/locale.ts";
import { createStepLog } from "../../core/step-log.ts";
import type { Host } from "../asking/host.ts";
import type { AskInput } from "./ask-schema.ts";
import type { Held, HeldRun } from "./held-run.ts";
import type { RunSeat } from "./room.ts";

/** One question, over whichever way it came. */
export interface Asked {
  seat: RunSeat;
  input: AskInput;
  chain: Chain;
  host: Pick<Host, "asksForms">;
  locale: Locale;
  /** In place of the models in force. */
  models?: AskRequest["models"];
  /** The id that the run is to have; a new one when absent. */
  runId?: string | undefined;
}

/** Begins a run. Throws where there are too many. */
export function begin({ seat, input, chain, host, locale, models, runId }: Asked): HeldRun {
  const { duet, settings, runs, caller, mode, logSteps } = seat;
  const run = runs.begin({
    id: runId,
    key: keyOf(input, chain),
    caller,
    locale,
    request: { ...toRequest(input), mode: input.mode ?? mode, models, chain },
    asks: { calls: host.asksForms || handsOut(seat, chain), plans: host.asksForms },
    patienceMs: settings.confirmTime * 1000,
    ask: duet.ask,
  });
  if (logSteps) run.follow(createStepLog({ write: logSteps, locale, verbose: true }));
  return run;
}

/** The run that is asked for again, where nobody was given its end. */
export function sameRun({ seat: { runs, caller }, input, chain }: Asked): HeldRun | undefined {
  return runs.same(keyOf(input, chain), input.conversation_id || undefined, caller);
}

/** A model above that is no host's has no user whom it could ask. */
export function handsOut({ settings }: RunSeat, { depth }: Chain): boolean {
  return settings.confirm === "token" && depth === 0;
}

function toRequest(input: AskInput): Held["request"] {
  return {
    question: input.question,
    // Hosts fill optional texts with "".
    conversationId: input.conversation_id || undefined,
    search: input.search,
    tools: input.tools,
    limits: {
      maxIterations: input.max_iterations,
      maxToolCalls: input.max_tool_calls,
      maxTokens: input.max_tokens,
      maxExecutionTimeMs: input.timeout_s === undefined ? undefined : input.timeout_s * 1000,
    },
  };
}

/** What is asked for, but not how long it is waited for or in which conversation: that it has only once it has begun. */
function keyOf({ conversation_id, wait_s, duet_chain, ...input }: AskInput, chain: Chain): string {
  const asked = JSON.stringify(input, Object.keys(input).sort());
  // An agent that asks itself must not be given the very run that asks.
  return chain.depth === 0 ? asked : `${chain.depth} ${traceIdOf(chain.trace)} ${asked}`;
}
