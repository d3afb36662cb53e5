import type { Message } from "../../core/messages.ts";
import { createRandomHex } from "../../kit/random.ts";
import type { RunService } from "../../runs/run-service.ts";
import { RefusedError } from "../http/response/refuse.ts";
import type { RouteCall } from "../http/routes.ts";
import { abortOnLeave } from "./abort-on-leave.ts";
import { createCompletionId, toCompletion } from "./completion.ts";
import { toCompletionEnd } from "./finish.ts";
import type { ChatRequest } from "./read-chat.ts";
import { readText } from "./read-messages.ts";
import { streamSideRun } from "./side-run.ts";
import { toUsage } from "./usage.ts";

/** Output tokens where the client names no limit. */
const mostTokens = 1000;

/**
 * Has the function-call model answer a chat page's own request: one turn that counts as a run of the caller's and stands in no
 * list. Throws where the caller has had its share, and `Refused` where the model has no answer.
 */
export async function answerSideCall(service: RunService, asked: ChatRequest, call: RouteCall): Promise<Response> {
  const { duet, runs } = service;
  const { locale } = duet;
  const { model, messages, maxTokens = mostTokens } = asked;
  const { functionCall } = await duet.models();
  // A model that goes by rules can name nothing, and the client goes on without.
  if (functionCall.followsPrompts === false) return Response.json(nothingOf(model));
  const said = messages.map(({ content }): Message => ({ role: "user", content: readText(content, "messages") }));
  const runId = `run-${createRandomHex()}`;
  const run = runs.begin({
    id: runId,
    key: runId,
    caller: call.caller,
    locale,
    request: { question: "", mode: "chat" },
    isAside: true,
    asks: { calls: false, plans: false, forms: false },
    patienceMs: 0,
    ask: ({ signal }) => streamSideRun({ runId, model: functionCall, messages: said, maxTokens, signal }),
  });
  const outcome = (await runs.ended(run, abortOnLeave(call, run, service))) ?? run.snapshot();
  const ending = toCompletionEnd(outcome, locale);
  if ("failure" in ending) throw new RefusedError(ending.failure);
  const { finish, usage } = ending;
  const answer = { content: outcome.response, reasoning: "", annotations: [], finish, usage };
  return Response.json(toCompletion(createCompletionId(runId, model), answer), { headers: { "x-request-id": runId } });
}

function nothingOf(model: string): object {
  const nothing = { content: "", reasoning: "", annotations: [], finish: "stop", usage: toUsage([]) } as const;
  return toCompletion(createCompletionId(`side-${createRandomHex()}`, model), { ...nothing, annotations: [] });
}
