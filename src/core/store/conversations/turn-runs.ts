import type { ConversationStore } from "../store.ts";
import { listBranchTurns } from "./branches.ts";

/** Lists the runs of a branch's turns, oldest first. A store without branches knows the runs of the conversation. */
export async function listTurnRuns(
  store: Pick<ConversationStore, "branches" | "runs">,
  conversationId: string,
  branch: number | undefined,
): Promise<(string | undefined)[]> {
  if (store.branches === undefined) return (await store.runs({ conversationId })).map(({ id }) => id);
  const tree = await store.branches.read(conversationId);
  return tree ? listBranchTurns(tree, branch).map(({ runId }) => runId) : [];
}
