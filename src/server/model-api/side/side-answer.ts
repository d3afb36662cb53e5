import { withTurnBudget } from "../../../app/models/with-turn-budget.ts";
import type { Caller } from "../../../core/caller.ts";
import type { Message } from "../../../core/model/messages.ts";
import { createRandomHex } from "../../../kit/random.ts";
import type { RunHandle } from "../../../runs/live/run-handle.ts";
import type { RunService } from "../../../runs/run-service.ts";
import type { AnswerRequest, SaidMessage } from "../answer/answer-request.ts";
import type { SideRequest } from "./side-requests.ts";
import { streamSideRun } from "./side-run.ts";

/**
 * Has the function-call model answer a chat page's own request: one turn that counts as a run of the caller's and stands in no
 * list. Throws where the caller has had its share.
 */
export async function beginSideRun(
  { duet, runs }: RunService,
  { caller, request, side }: { caller: Caller; request: AnswerRequest; side: SideRequest },
): Promise<RunHandle> {
  const { functionCall } = await duet.models.open();
  const { stop, format, maxTokens = side.mostTokens, conversation } = request;
  const messages = toMessages(conversation.said);
  const runId = `run-${createRandomHex()}`;
  await runs.prepare(caller);
  return runs.begin({
    id: runId,
    key: runId,
    caller,
    locale: duet.locale,
    request: { question: "", mode: "chat" },
    isAside: true,
    canAsk: () => false,
    patienceMs: 0,
    ask: ({ signal, budget }) =>
      streamSideRun({
        runId,
        model: withTurnBudget(functionCall, budget),
        request: { messages, tools: [], maxTokens, stop, responseFormat: format },
        signal,
      }),
  });
}

/** An instruction below the first words is one for them, such as to sum them up. */
function toMessages(said: readonly SaidMessage[]): Message[] {
  const first = said.findIndex(({ role }) => role !== "instruction");
  return said.flatMap(({ role, text }, index): Message[] => {
    if (text.trim() === "" || role === "tool") return [];
    if (role === "assistant") return [{ role, content: text, toolCalls: [] }];
    return [{ role: role === "instruction" && index < first ? "system" : "user", content: text }];
  });
}
