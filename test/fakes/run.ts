import type { Limits } from "../../src/agent/limits/run-clock.ts";
import type { RunOptions } from "../../src/agent/open-run.ts";
import { createPrompts } from "../../src/agent/prompts/prompts.ts";
import { runAgent } from "../../src/agent/run-agent.ts";
import type { AgentEvent } from "../../src/core/events.ts";
import { defaultedLimits, mapLimits, mergeRunLimits } from "../../src/core/limits.ts";
import { createMemoryStore } from "../../src/store/memory/memory-store.ts";

export const defaultLimits: Limits = {
  ...mergeRunLimits(
    mapLimits(
      defaultedLimits,
      ({ key }) => key,
      (row) => row.default,
    ),
    {},
  ),
  maxParallel: 8,
  repeatable: [],
  minResultLength: 20,
  stopWhenSufficient: false,
};

export interface Overrides
  extends Omit<Partial<RunOptions>, "models" | "limits" | "conversation">,
    Pick<RunOptions, "models"> {
  limits?: Partial<Limits>;
  /** Goes on with that conversation of the store, or begins it. */
  conversationId?: string;
}

/** The options of a run that are not a test's business. */
export async function runOptions({ limits, conversationId, ...more }: Overrides): Promise<RunOptions> {
  const store = more.store ?? createMemoryStore();
  const known = conversationId === undefined ? undefined : await store.load(conversationId);
  return {
    question: "What is Duet?",
    mode: "agent",
    conversation: known ?? (await store.create(conversationId)),
    store,
    tools: [],
    prompts: createPrompts(),
    limits: { ...defaultLimits, ...limits },
    planPolicy: { unattended: "run", onFailure: "replan", retries: 1 },
    locale: "en",
    ...more,
  };
}

/** All events of one run. */
export async function runAll(overrides: Overrides): Promise<AgentEvent[]> {
  return Array.fromAsync(runAgent(await runOptions(overrides)));
}
