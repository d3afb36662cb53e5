import { toGoOnQuestion } from "../../../core/go-on.ts";
import type { Outcome } from "../../../core/outcome.ts";
import { createWaitLimit } from "../../../kit/async/timeout.ts";
import { say } from "../../../kit/locale.ts";
import { renderPartial } from "../../../render/event-lines.ts";
import { beginRun, type RunQuestionRequest } from "../../../runs/begin-run.ts";
import type { Host } from "../../../runs/input/host.ts";
import type { RequestContext } from "../../../runs/input/pending-work.ts";
import type { RunHandle } from "../../../runs/run-handle.ts";

/**
 * Offers the host's user to go on with a run that has reached a limit, for `leftMs` milliseconds at most; a host of the 2026 era asks
 * between two requests, where no clock of its own runs. Returns the new run, in the same conversation; undefined where nobody can be
 * asked or wants it, and where the run was asked for by another agent.
 */
export async function offerGoOn(
  asked: RunQuestionRequest & { host: Host },
  run: RunHandle,
  outcome: Outcome,
  { ask, signal }: RequestContext,
  leftMs: number,
): Promise<RunHandle | undefined> {
  const { host, chain, locale, input } = asked;
  if (outcome.limit === undefined || outcome.status !== "partial" || !host.asksForms || chain.depth > 0)
    return undefined;
  const partial = renderPartial(outcome, locale) ?? "";
  const message = `${partial}\n${say(locale, { zh: "要从这里继续吗？限制会重新计算。", en: "Go on from here, with the limits counted anew?" })}`;
  const form = { type: "object", properties: {} } as const;
  const limit = host.isModern ? undefined : createWaitLimit(leftMs, signal);
  const reply = await ask({ kind: "form", message, form }, limit?.signal);
  limit?.clear();
  if (reply?.action !== "accept") return undefined;
  const question = toGoOnQuestion(input.question, locale);
  return beginRun({
    ...asked,
    goesOnWith: run,
    attachments: [],
    input: { ...input, question, conversation_id: outcome.conversation_id, confirmation: undefined, go_on: true },
  });
}
