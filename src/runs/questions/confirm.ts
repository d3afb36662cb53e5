import { readPlanReply } from "../../core/questions/plan-reply.ts";
import { DuetError } from "../../kit/errors.ts";
import { beginRun, findSameRun, type RunQuestionRequest } from "../begin-run.ts";
import type { RunHandle } from "../live/run-handle.ts";
import type { Confirmable } from "./confirmation-tokens.ts";
import type { OpenQuestion } from "./open-question.ts";

/** Takes a user's word that came back with its token; gives the run that goes on with it. Throws why it does not count. */
export async function confirmRun(asked: RunQuestionRequest, token: string): Promise<RunHandle> {
  const claim = asked.scope.confirmations.read(token);
  if (claim === undefined) throw refusedError(notOurs);
  return claim.kind === "call" ? confirmCall(asked, token, claim.id) : confirmPlan(asked, token, claim.id);
}

async function confirmCall({ scope, input }: RunQuestionRequest, token: string, runId: string): Promise<RunHandle> {
  const { runs, followed, confirmations, caller } = scope;
  const run = runs.find(runId, caller) ?? (await followed.find(runId, caller));
  const open = run?.open;
  if (run === undefined || open?.kind !== "call") throw refusedError(over);
  if (!confirmations.fits(token, toConfirmableCall(run, open))) throw refusedError(over);
  const word = readPlanReply(input.question)?.reply;
  if (word === undefined || word === "edit") throw refusedError(describeUnclearReply(input.question));
  if (!(await open.answer(word === "yes" ? "once" : "no"))) throw refusedError(over);
  return run;
}

async function confirmPlan(given: RunQuestionRequest, token: string, conversationId: string): Promise<RunHandle> {
  const asked: RunQuestionRequest = {
    ...given,
    input: { ...given.input, mode: "plan", conversation_id: conversationId },
  };
  const { scope } = asked;
  const { caller } = scope;
  const store = await scope.duet.store(caller);
  const pendingPlan = (await store.load(conversationId))?.pendingPlan;
  const what = toConfirmablePlan(conversationId, pendingPlan, caller.owner);
  // A word that comes twice means one run, as long as that goes on; by its end the plan waits no more.
  const again = findSameRun(asked);
  if (again) return again;
  if (pendingPlan === undefined || !scope.confirmations.fits(token, what)) throw refusedError(over);
  return beginRun(asked);
}

/** Identifies a call by the tool and its arguments as they were shown. The same call asked again is a different one. */
export function toConfirmableCall(
  { id, caller: { owner } }: RunHandle,
  { question, id: asked }: OpenQuestion<"call">,
): Confirmable {
  return { id, kind: "call", owner, shown: [asked, [question.tool, question.arguments]] };
}

export function toConfirmablePlan(
  conversationId: string,
  pendingPlan: string | undefined,
  owner: string | undefined,
): Confirmable {
  return { id: conversationId, kind: "plan", owner, shown: pendingPlan ?? null };
}

function refusedError(text: DuetError["text"]): DuetError {
  return new DuetError({ code: "invalid_request", text });
}

const notOurs = {
  zh: "confirmation 令牌无效（允许：状态为 needs_confirmation 的结果中的 confirmation.token）。什么也没有执行。",
  en: "invalid confirmation token (allowed: the confirmation.token of a result with status needs_confirmation). Nothing was run.",
};

const over = {
  zh: "confirmation 令牌已用过、已过期，或对应的问题已不再等待答复。什么也没有执行；该运行的现状：通过 MCP 用 agent_result 查看，通过 HTTP 用 GET /agent/runs/{run_id} 查看。",
  en: "The confirmation token was already used, has expired, or its question is no longer waiting. Nothing was run; for the state of its run use agent_result over MCP, or GET /agent/runs/{run_id} over HTTP.",
};

function describeUnclearReply(question: string) {
  const shown = JSON.stringify(question.slice(0, 100));
  return {
    zh: `${shown} 不是对批准请求的答复（允许：用户的 yes 或 no）。令牌仍然有效。`,
    en: `${shown} is not a reply to the approval request (allowed: the user's yes or no). The token is still valid.`,
  };
}
