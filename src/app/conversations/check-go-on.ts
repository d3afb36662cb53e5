import type { Status } from "../../core/run/outcome.ts";
import type { AgentTrace } from "../../core/run/trace.ts";
import { firstBranch } from "../../core/store/conversations/branches.ts";
import type { Conversation } from "../../core/store/conversations/conversation.ts";
import { listTurnRuns } from "../../core/store/conversations/turn-runs.ts";
import type { ConversationStore } from "../../core/store/store.ts";
import { showValue } from "../../core/tools/argument-feedback.ts";
import { DuetError } from "../../kit/errors.ts";
import type { Text } from "../../kit/locale.ts";

/** Names the place in a conversation from which a run is to go on. */
export interface GoOnPlace {
  /** Is the store in which the conversation is. */
  store: Pick<ConversationStore, "branches" | "runs" | "trace">;
  conversationId: string | undefined;
  /** Is the turn behind which the run is to stand; the last one of the branch when it is absent. */
  after: number | undefined;
}

/**
 * Rejects with `invalid_request` where the last run of the conversation has answered in full and reached no limit, where it waits for a
 * confirmation, and where there is none. A run that has answered from all the calls that it may make is complete, and has a limit.
 */
export async function checkGoOn(known: Conversation | undefined, place: GoOnPlace): Promise<void> {
  const last = known?.turns.at(-1);
  if (last?.status !== undefined) return;
  const trace = known && last ? await readLastTrace(known, place) : undefined;
  if (trace?.limit !== undefined) return;
  const found = explainNothing(known, place.conversationId, trace?.status);
  throw new DuetError({
    code: "invalid_request",
    text: {
      zh: `go_on：没有可以继续的运行，${found.zh}（允许：最后一次运行达到限制、失败或被取消的对话的 conversation_id）`,
      en: `go_on: there is no run to go on with: ${found.en} (allowed: with the conversation_id of a conversation whose last run reached a limit, failed or was cancelled)`,
    },
  });
}

/** Reads what the run of the last turn did. Returns undefined where nothing was kept of it. */
async function readLastTrace({ id, branch }: Conversation, place: GoOnPlace): Promise<AgentTrace | undefined> {
  const { store, after } = place;
  const tree = after === undefined ? undefined : await store.branches?.read(id);
  const turn = tree?.turns.find(({ n }) => n === after);
  const runId = turn ? turn.runId : (await listTurnRuns(store, id, branch ?? firstBranch)).at(-1);
  return runId === undefined ? undefined : store.trace(runId);
}

function explainNothing(
  known: Conversation | undefined,
  conversationId: string | undefined,
  status: Status | undefined,
): Text {
  if (conversationId === undefined) return { zh: "没有给出 conversation_id", en: "conversation_id is missing" };
  const shown = showValue(conversationId);
  if (known === undefined) return { zh: `没有找到对话 ${shown}`, en: `conversation ${shown} was not found` };
  if (known.turns.length === 0)
    return {
      zh: `对话 ${shown} 在这个问题之前没有运行`,
      en: `conversation ${shown} has no run before this question`,
    };
  if (status === "needs_confirmation")
    return {
      zh: `对话 ${shown} 的最后一次运行在等待确认`,
      en: `the last run of conversation ${shown} waits for a confirmation`,
    };
  return { zh: `对话 ${shown} 的最后一次运行已经完整回答`, en: `the last run of conversation ${shown} is complete` };
}
