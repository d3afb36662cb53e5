import type { Api } from "./api.ts";
import type { ChatRuns } from "./chat-runs.ts";
import { isOver, showTalk } from "./chat-state.ts";
import { Refused } from "./refused.ts";
import type { Store } from "./store.ts";
import { turnsOf } from "./turns-of.ts";

export interface ChatConversations {
  /** Shows the list as it is now, as far as it was shown. */
  refresh(): Promise<void>;
  /** Shows more of it. */
  more(): Promise<void>;
  /** Shows a conversation and follows what goes on in it. */
  open(id: string): Promise<void>;
  remove(id: string): Promise<void>;
}

export function createConversations(api: Api, store: Store, runs: ChatRuns): ChatConversations {
  /** Of several that were to be opened the last one counts, and none where something else has been begun since. */
  let wanted = "";
  return {
    async refresh() {
      const { entries, next } = await api.conversations(0);
      store.change((chat) => {
        const known = new Set(entries.map(({ id }) => id));
        const rest = chat.conversations.slice(entries.length).filter(({ id }) => !known.has(id));
        const isLonger = rest.length > 0 && next !== undefined;
        const conversations = isLonger ? [...entries, ...rest] : entries;
        return { ...chat, conversations, moreAt: isLonger ? chat.moreAt : next };
      });
    },
    async more() {
      const { moreAt } = store.state;
      if (moreAt === undefined) return;
      const { entries, next } = await api.conversations(moreAt);
      store.change((chat) => {
        const known = new Set(chat.conversations.map(({ id }) => id));
        const others = entries.filter(({ id }) => !known.has(id));
        return { ...chat, conversations: [...chat.conversations, ...others], moreAt: next };
      });
    },
    async open(id) {
      wanted = id;
      const before = store.state.items;
      const conversation = await api.conversation(id);
      if (wanted !== id || store.state.items !== before) return;
      const kept = turnsOf(conversation, id);
      // What is followed here is known better than what is kept.
      const followed = Object.values(store.state.turns).filter(
        (turn) => turn.conversationId === id && !isOver(turn.run),
      );
      const turns = [...kept.filter((turn) => followed.every(({ run }) => run.runId !== turn.keptRunId)), ...followed];
      const items = turns.map(({ key }) => ({ kind: "turn" as const, key }));
      store.change((chat) => showTalk(chat, id, items, turns));
      for (const run of conversation.runs) if (run.status === "running") runs.resume(run.id, run.question, id);
    },
    async remove(id) {
      await api.deleteConversation(id).catch((thrown: unknown) => {
        if (!(thrown instanceof Refused) || thrown.status !== 404) throw thrown;
      });
      store.change((chat) => {
        const conversations = chat.conversations.filter((entry) => entry.id !== id);
        const gone = chat.conversations.length - conversations.length;
        const rest = { ...chat, conversations, moreAt: chat.moreAt && chat.moreAt - gone };
        return chat.conversationId === id ? showTalk(rest, undefined, [], []) : rest;
      });
    },
  };
}
