import { cutText } from "../../core/cut-text.ts";
import type { NumberedSource } from "../../core/sources.ts";
import { type FinishedRun, longestTitle } from "../store.ts";
import { keepSource } from "./sqlite-sources.ts";
import { type Statements, touchConversation } from "./statements.ts";

/** Keeps a run with the sources its turn may cite; a run that is kept already stays as it is. Within a transaction. */
export function keepRun(statements: Statements, run: FinishedRun, owed: readonly NumberedSource[]): void {
  const { conversationId, runId, turn, trace, pendingPlan } = run;
  if (statements.isKept.get(runId)) return;
  const title = cutText(trace.question, longestTitle);
  const turns = touchConversation(statements, { id: conversationId, title, turns: turn ? 1 : 0 });
  statements.addTrace.run(runId, conversationId, JSON.stringify(trace));
  statements.dropPlan.run(conversationId);
  if (pendingPlan !== undefined) statements.addPlan.run(conversationId, pendingPlan);
  if (turn === undefined) return;
  statements.addTurn.run(conversationId, turns, turn.question, turn.answer);
  for (const source of owed) keepSource(statements, conversationId, source);
}
