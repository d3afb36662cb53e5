import type { DataFlow, SendingGuard } from "../../../core/tools/data-flow.ts";
import type { Approval } from "../../../core/tools/tool.ts";
import { ignoreRejection } from "../../../kit/async/ignore-rejection.ts";

/** Is the guard of one run, which learns from each call what the run has read. */
export interface RunSendingGuard extends SendingGuard {
  /** Returns a guard for calls that a person has seen in full: they need no consent, and what they read is recorded here. */
  forSeenCalls(): RunSendingGuard;
}

/** With the guard of a run above, both are one run: what either has read, the other must not send out. */
export function createSendingGuard(above?: SendingGuard): RunSendingGuard {
  if (above !== undefined) return toRunGuard(above);
  const privateSources = new Set<string>();
  let hasUntrusted = false;
  let settled: { answer: Approval | undefined } | undefined;
  let last: Promise<unknown> = Promise.resolve();

  const learn: RunSendingGuard["learn"] = ({ name, dataFlow = nothing }, { sources = [] }) => {
    if (dataFlow.readsSources && sources.length === 0) return;
    if (dataFlow.readsPrivate) privateSources.add(name);
    if (dataFlow.readsUntrusted) hasUntrusted = true;
  };

  return toRunGuard({
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
  });
}

function toRunGuard(guard: SendingGuard): RunSendingGuard {
  const made: RunSendingGuard = { ...guard, forSeenCalls: () => ({ ...made, needsConsent: () => undefined }) };
  return made;
}

const nothing: DataFlow = {};
