import type { NumberedSource } from "../../core/sources.ts";
import { toConversationTitle } from "../../core/store/conversation-title.ts";
import type { FinishedRun } from "../../core/store/store.ts";
import { saveSource } from "./source-list.ts";
import { type Owner, type Statements, updateConversation } from "./statements.ts";

/** A run with whose it is, and the numbers that it owes. */
interface Kept {
  run: FinishedRun;
  owner: Owner;
  owed: readonly NumberedSource[];
}

/**
 * Keeps a run with the sources its turn may cite; a run that is kept already stays as it is. Within a transaction. Throws where
 * the conversation or the run is another owner's.
 */
export function saveRun(statements: Statements, { run, owner, owed }: Kept): void {
  const { conversationId, runId, turn, trace, pendingPlan } = run;
  statements.dropMark.run({ run: runId, owner });
  if (statements.isKept.get({ run: runId, owner })) return;
  const title = toConversationTitle(trace.question);
  const turns = updateConversation(statements, { id: conversationId, owner, title, turns: turn ? 1 : 0 });
  statements.addTrace.run(runId, conversationId, JSON.stringify(trace), owner);
  statements.dropPlan.run(conversationId);
  if (pendingPlan !== undefined) statements.addPlan.run(conversationId, pendingPlan);
  if (turn === undefined) return;
  statements.addTurn.run(conversationId, turns, turn.question, turn.answer);
  for (const source of owed) saveSource(statements, conversationId, source);
}
