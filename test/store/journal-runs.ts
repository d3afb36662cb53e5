import type { NewRunRecord } from "../../src/core/store/journal.ts";

/** A run that is about to begin, of the conversation `conv-RUN`. */
export function newRun(runId: string, owner?: string): NewRunRecord {
  return {
    runId,
    owner,
    conversationId: `conv-${runId}`,
    header: {
      entrance: "http",
      question: "Is it known?",
      mode: "agent",
      traceId: "0".repeat(32),
      marker: "0123abcd",
      locale: "en",
      language: "en",
      limits: {
        maxExecutionTimeMs: 60_000,
        maxToolCalls: 5,
        maxIterations: 5,
        tokenBudget: 100_000,
        maxParallel: 5,
        repeatable: [],
        minResultLength: 20,
        stopWhenSufficient: false,
      },
      planPolicy: { unattended: "run", onFailure: "replan", retries: 1 },
      models: { functionCall: "fake/one", answer: "fake/two" },
      turns: 0,
      sources: 0,
      asks: [],
    },
  };
}
