import type { Limits } from "../../src/agent/limits/run-clock.ts";
import type { RunOptions, RunParts } from "../../src/agent/open-run.ts";
import { createPrompts } from "../../src/agent/prompts/prompts.ts";
import type { RunRequest } from "../../src/agent/run.ts";
import { runAgent } from "../../src/agent/run-agent.ts";
import { defaultedLimits, mapLimits, mergeRunLimits } from "../../src/core/limits/limits.ts";
import { toUser, type UserCallbacks } from "../../src/core/questions/user.ts";
import type { AgentEvent } from "../../src/core/run/events.ts";
import { createPushedStream } from "../../src/kit/async/pushed-stream.ts";
import { createMemoryStore } from "../../src/store/memory/memory-store.ts";
import { patienceMs } from "../runner/patience.ts";

/** The limits of a configuration without any, but for the time. */
export const defaultLimits: Limits = {
  ...mergeRunLimits(
    mapLimits(
      defaultedLimits,
      ({ key }) => key,
      (row) => row.default,
    ),
    {},
  ),
  // The clock is the machine's, and a busy one may take a minute for what takes a second elsewhere.
  maxExecutionTimeMs: 10 * patienceMs,
  maxParallel: 8,
  repeatable: [],
  minResultLength: 20,
  stopWhenSufficient: false,
};

/** What a test sets of a run: its request, its parts and the rest in one object. */
export interface Overrides
  extends UserCallbacks,
    Omit<Partial<RunRequest>, "limits" | "conversation">,
    Omit<Partial<RunParts>, "models">,
    Pick<RunParts, "models">,
    Omit<RunOptions, "request" | "parts"> {
  limits?: Partial<Limits>;
  /** Goes on with that conversation of the store, or begins it. */
  conversationId?: string;
}

/** The options of a run that are not a test's business. */
export async function runOptions(overrides: Overrides): Promise<RunOptions> {
  const { spentMs, notices, observer, recording, refusal, signal, limits, conversationId, ...more } = overrides;
  const {
    models,
    tools = [],
    finding,
    prompts = createPrompts(),
    markHabits,
    evaluator,
    folders,
    budget,
    hooks,
    ...others
  } = more;
  const {
    confirmPlan,
    approveCall,
    elicit,
    user = toUser({ confirmPlan, approveCall, elicit }),
    store = createMemoryStore(),
    files,
    inbox,
    client,
    ...request
  } = others;
  const known = conversationId === undefined ? undefined : await store.load(conversationId);
  return {
    request: {
      question: "What is Duet?",
      mode: "agent",
      conversation: known ?? (await store.create(conversationId)),
      limits: { ...defaultLimits, ...limits },
      planPolicy: { unattended: "run", onFailure: "replan", retries: 1 },
      locale: "en",
      ...request,
    },
    parts: {
      models,
      tools,
      finding,
      prompts,
      markHabits,
      evaluator,
      folders,
      budget,
      hooks,
      user,
      store,
      files,
      inbox,
      client,
    },
    spentMs,
    notices,
    observer,
    recording,
    refusal,
    signal,
  };
}

/** All events of one run. */
export async function runAll(overrides: Overrides): Promise<AgentEvent[]> {
  const events: AgentEvent[] = [];
  await runAgent(await runOptions(overrides), (event) => void events.push(event));
  return events;
}

/** The events of one run as they happen. Leaving them stops the run. */
export function streamRun(options: RunOptions): AsyncGenerator<AgentEvent, void, undefined> {
  return createPushedStream((push, left) =>
    runAgent({ ...options, signal: AbortSignal.any(options.signal ? [options.signal, left] : [left]) }, push),
  );
}
