import { listBranchTurns, listPath, type TurnTree } from "../../core/store/conversations/branches.ts";
import type { Conversation } from "../../core/store/conversations/conversation.ts";
import type { ConversationStore } from "../../core/store/store.ts";

/** Holds the sessions that agents which are other programs have for a conversation, by the agents' names. */
export interface AgentSessions {
  get(agent: string): string | undefined;
  /** Says where the session that the agent had goes on, with what is not said here: on another branch, or in the conversation that this one was forked from. */
  findElsewhere(agent: string): "branch" | "fork" | undefined;
  set(agent: string, session: string): void;
  /** Returns a store that keeps those that were used with the turn of the run, so that another branch of the conversation has its own. */
  keepIn(store: ConversationStore): ConversationStore;
}

/** `isLeft` says of the turn at an index that turns of another branch follow it. */
export function openAgentSessions(
  { id, turns }: Pick<Conversation, "id" | "turns">,
  isLeft: (index: number) => boolean = () => false,
): AgentSessions {
  const known = new Map<string, string>();
  const elsewhere = new Map<string, "branch" | "fork">();
  for (const [index, { agentSessions }] of turns.entries()) {
    for (const [agent, session] of Object.entries(agentSessions?.ids ?? {})) {
      // The last turn that used it counts.
      if (agentSessions?.conversation !== id) elsewhere.set(agent, "fork");
      else if (isLeft(index)) elsewhere.set(agent, "branch");
      else elsewhere.delete(agent);
      known.set(agent, session);
    }
  }
  const used = new Set<string>();
  return {
    get: (agent) => (elsewhere.has(agent) ? undefined : known.get(agent)),
    findElsewhere: (agent) => elsewhere.get(agent),
    set(agent, session) {
      used.add(agent);
      elsewhere.delete(agent);
      known.set(agent, session);
    },
    keepIn: (store) => ({
      ...store,
      append(run) {
        if (used.size === 0 || !run.turn) return store.append(run);
        const ids = Object.fromEntries([...known].filter(([agent]) => used.has(agent)));
        return store.append({
          ...run,
          turn: { ...run.turn, agentSessions: { conversation: run.conversationId, ids } },
        });
      },
    }),
  };
}

/** Returns the sessions of a conversation on its branch, or up to the turn that a question follows. */
export async function findAgentSessions(
  { id, turns, branch }: Pick<Conversation, "id" | "turns" | "branch">,
  store: Pick<ConversationStore, "branches">,
  after: number | undefined,
): Promise<AgentSessions> {
  if (!turns.some(({ agentSessions }) => agentSessions)) return openAgentSessions({ id, turns });
  const tree = await store.branches?.read(id);
  return openAgentSessions({ id, turns }, tree && createIsLeft(tree, { branch, after, count: turns.length }));
}

function createIsLeft(
  tree: TurnTree,
  { branch, after, count }: { branch: number | undefined; after: number | undefined; count: number },
): ((index: number) => boolean) | undefined {
  const parents = new Map(tree.turns.map(({ n, parent }) => [n, parent]));
  const path =
    after === undefined ? listBranchTurns(tree, branch).map(({ n }) => n) : listPath(after, (n) => parents.get(n) ?? 0);
  // Turns that are not saved yet have no number.
  if (path.length !== count) return undefined;
  const own = new Set(path);
  const left = new Set<number>();
  for (const { n } of tree.turns) {
    if (!own.has(n)) for (const each of listPath(n, (of) => parents.get(of) ?? 0)) left.add(each);
  }
  return (index) => left.has(path[index] ?? 0);
}
