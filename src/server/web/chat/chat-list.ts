import type { Api } from "./api/api.ts";
import type { Store } from "./state/chat-state.ts";

/** Manages the list of conversations and of runs in progress. */
export interface ChatList {
  /** Shows it as it is now, as far as it was shown. */
  refresh(): Promise<void>;
  /** Shows more of it. */
  more(): Promise<void>;
}

export function createChatList(api: Api, store: Store): ChatList {
  /** When several refreshes overlap, only the last one is used. */
  let asked = 0;
  return {
    async refresh() {
      const mine = ++asked;
      const [{ entries, next }, runs] = await Promise.all([api.conversations(0), api.runs()]);
      if (mine !== asked) return;
      const running = runs.filter(({ status }) => status === "running");
      store.change((chat) => {
        const known = new Set(entries.map(({ id }) => id));
        const rest = chat.conversations.slice(entries.length).filter(({ id }) => !known.has(id));
        const isLonger = rest.length > 0 && next !== undefined;
        const conversations = isLonger ? [...entries, ...rest] : entries;
        return { ...chat, conversations, running, moreAt: isLonger ? chat.moreAt : next };
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
  };
}
