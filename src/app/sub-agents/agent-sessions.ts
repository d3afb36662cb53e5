import type { ConversationStore, ConversationTurn } from "../../core/store/store.ts";

/** Holds the sessions that agents which are other programs have for a conversation, by the agents' names. */
export interface AgentSessions {
  get(agent: string): string | undefined;
  set(agent: string, session: string): void;
  /** Returns a store that keeps them with the turn of the run, so that another branch of the conversation has its own. */
  keepIn(store: ConversationStore): ConversationStore;
}

export function openAgentSessions(turns: readonly ConversationTurn[]): AgentSessions {
  const known = new Map(Object.entries(turns.findLast((turn) => turn.agentSessions)?.agentSessions ?? {}));
  let hasChanged = false;
  return {
    get: (agent) => known.get(agent),
    set(agent, session) {
      hasChanged ||= known.get(agent) !== session;
      known.set(agent, session);
    },
    keepIn: (store) => ({
      ...store,
      append: (run) =>
        hasChanged && run.turn
          ? store.append({ ...run, turn: { ...run.turn, agentSessions: Object.fromEntries(known) } })
          : store.append(run),
    }),
  };
}
