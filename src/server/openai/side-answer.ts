import { withTurnBudget } from "../../app/models/with-turn-budget.ts";
import type { Message } from "../../core/messages.ts";
import { createRandomHex } from "../../kit/random.ts";
import type { RunService } from "../../runs/run-service.ts";
import { HttpRefusalError } from "../http/response/refusal.ts";
import type { RouteCall } from "../http/routes.ts";
import { sumUsage, toAnswerEnd } from "../model-api/answer-end.ts";
import { abortOnLeave } from "../model-api/open-answer.ts";
import { createCompletionId, toCompletion } from "./completion.ts";
import type { ChatRequest } from "./read-chat.ts";
import { readText } from "./read-parts.ts";
import { streamSideRun } from "./side-run.ts";

/** Limits the output, in tokens, when the client sets no limit. */
const mostTokens = 1000;

/**
 * Has the function-call model answer a chat page's own request: one turn that counts as a run of the caller's and stands in no
 * list. Throws where the caller has had its share, and `HttpRefusalError` where the model has no answer.
 */
export async function answerSideCall(service: RunService, asked: ChatRequest, call: RouteCall): Promise<Response> {
  const { duet, runs } = service;
  const { locale } = duet;
  const { model, messages, maxTokens = mostTokens } = asked;
  const { functionCall } = await duet.models();
  // A model that goes by rules can name nothing, and the client goes on without.
  if (functionCall.followsPrompts === false) return Response.json(createEmptyChunk(model));
  const said = messages.map(({ content }): Message => ({ role: "user", content: readText(content, "messages") }));
  const runId = `run-${createRandomHex()}`;
  await runs.prepare(call.caller);
  const run = runs.begin({
    id: runId,
    key: runId,
    caller: call.caller,
    locale,
    request: { question: "", mode: "chat" },
    isAside: true,
    canAsk: () => false,
    patienceMs: 0,
    ask: ({ signal, budget }) =>
      streamSideRun({ runId, model: withTurnBudget(functionCall, budget), messages: said, maxTokens, signal }),
  });
  const outcome = (await runs.waitForEnd(run, abortOnLeave(call, run, service))) ?? run.snapshot();
  const end = toAnswerEnd(outcome, locale);
  if ("failure" in end) throw new HttpRefusalError(end.failure);
  const answer = { text: outcome.response, reasoning: "", calls: [], end: { ...end, citations: [] } };
  return Response.json(toCompletion(createCompletionId(runId, model), answer), { headers: { "x-request-id": runId } });
}

function createEmptyChunk(model: string): object {
  const end = { finish: "stop", usage: sumUsage([]), citations: [], notices: undefined } as const;
  return toCompletion(createCompletionId(`side-${createRandomHex()}`, model), {
    text: "",
    reasoning: "",
    calls: [],
    end,
  });
}
