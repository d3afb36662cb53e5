import type { Message } from "../../core/messages.ts";
import { randomHex } from "../../kit/random.ts";
import type { RunRoom } from "../../runs/run-service.ts";
import { Refused } from "../http/response/refuse.ts";
import type { RouteCall } from "../http/routes.ts";
import { holdFor } from "./abort-on-leave.ts";
import { completionOf, nameAnswer } from "./completion.ts";
import { endingOf } from "./finish.ts";
import type { ChatRequest } from "./read-chat.ts";
import { textOf } from "./read-messages.ts";
import { runAside } from "./side-run.ts";
import { usageOf } from "./usage.ts";

/** Output tokens where the client names no limit. */
const mostTokens = 1000;

/**
 * Has the function-call model answer a chat page's own request: one turn that counts as a run of the caller's and stands in no
 * list. Throws where the caller has had its share, and `Refused` where the model has no answer.
 */
export async function answerSideCall(room: RunRoom, asked: ChatRequest, call: RouteCall): Promise<Response> {
  const { duet, runs } = room;
  const { locale } = duet;
  const { model, messages, maxTokens = mostTokens } = asked;
  const { functionCall } = await duet.models();
  // A model that goes by rules can name nothing, and the client goes on without.
  if (functionCall.followsPrompts === false) return Response.json(nothingOf(model));
  const said = messages.map(({ content }): Message => ({ role: "user", content: textOf(content, "messages") }));
  const runId = `run-${randomHex()}`;
  const run = runs.begin({
    id: runId,
    key: runId,
    caller: call.caller,
    locale,
    request: { question: "", mode: "chat" },
    isAside: true,
    asks: { calls: false, plans: false, forms: false },
    patienceMs: 0,
    ask: ({ signal }) => runAside({ runId, model: functionCall, messages: said, maxTokens, signal }),
  });
  const outcome = (await runs.ended(run, holdFor(call, run, room))) ?? run.soFar();
  const ending = endingOf(outcome, locale);
  if ("failure" in ending) throw new Refused(ending.failure);
  const { finish, usage } = ending;
  const answer = { content: outcome.response, reasoning: "", annotations: [], finish, usage };
  return Response.json(completionOf(nameAnswer(runId, model), answer), { headers: { "x-request-id": runId } });
}

function nothingOf(model: string): object {
  const nothing = { content: "", reasoning: "", annotations: [], finish: "stop", usage: usageOf([]) } as const;
  return completionOf(nameAnswer(`side-${randomHex()}`, model), { ...nothing, annotations: [] });
}
