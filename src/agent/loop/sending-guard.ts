import type { DataFlow, SendingGuard } from "../../core/tools/data-flow.ts";
import type { Approval, Tool, ToolResult } from "../../core/tools/tool.ts";
import { ignoreRejection } from "../../kit/async/ignore-rejection.ts";

/** Is the guard of one run, which learns from each call what the run has read. */
export interface RunSendingGuard extends SendingGuard {
  /** Records what a call that ran has read. Calls of one turn were decided before, so they are recorded at its end. */
  learn(tool: Pick<Tool, "name" | "dataFlow">, result: Pick<ToolResult, "sources">): void;
  /** Returns a guard for calls that a person has seen in full: they need no consent, and what they read is recorded here. */
  forSeenCalls(): RunSendingGuard;
}

export function createSendingGuard(): RunSendingGuard {
  const privateSources = new Set<string>();
  let hasUntrusted = false;
  let settled: { answer: Approval | undefined } | undefined;
  let last: Promise<unknown> = Promise.resolve();

  const learn: RunSendingGuard["learn"] = ({ name, dataFlow = nothing }, { sources = [] }) => {
    if (dataFlow.readsSources && sources.length === 0) return;
    if (dataFlow.readsPrivate) privateSources.add(name);
    if (dataFlow.readsUntrusted) hasUntrusted = true;
  };

  const guard: RunSendingGuard = {
    learn,
    needsConsent() {
      if (!hasUntrusted || privateSources.size === 0 || settled?.answer === "once") return undefined;
      return [...privateSources];
    },
    async ask(approve) {
      const mine = last.then(async () => {
        if (settled) return settled.answer;
        const answer = await approve();
        // The other answers are about one tool; who gives them is asked about the next one.
        if (answer !== "conversation" && answer !== "never") settled = { answer };
        return answer;
      });
      last = ignoreRejection(mine, "whoever asked is told");
      return mine;
    },
    forSeenCalls: () => ({ ...guard, needsConsent: () => undefined }),
  };
  return guard;
}

const nothing: DataFlow = {};
