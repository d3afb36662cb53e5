import type { ChatState } from "../state/chat-state.ts";

/** Manages the address of the shown conversation: `#conversation=…`. */
export interface AddressHash {
  /** Is the conversation ID in the address. */
  readonly conversationId: string | undefined;
  /** Runs after the chat has changed. Another conversation becomes another entry of the tab's history. */
  follow(before: ChatState, now: ChatState): void;
  /** Makes the address name what is in sight, in the place of what it named. */
  settle(now: ChatState): void;
}

/** Lists the members of a window that hold its address. */
interface AddressBar {
  readonly location: { readonly hash: string; readonly pathname: string; readonly search: string };
  readonly history: Record<"pushState" | "replaceState", (state: unknown, unused: string, place: string) => void>;
}

export function createAddressHash({ location, history }: AddressBar): AddressHash {
  const readConversationId = (): string | undefined =>
    new URLSearchParams(location.hash.slice(1)).get("conversation") || undefined;
  const setAddress = (way: "pushState" | "replaceState", id: string | undefined): void => {
    if (readConversationId() === id) return;
    const { pathname, search } = location;
    const hash = id === undefined ? "" : `#${new URLSearchParams({ conversation: id })}`;
    history[way](null, "", pathname + search + hash);
  };
  return {
    get conversationId() {
      return readConversationId();
    },
    follow(before, now) {
      if (before.conversationId === now.conversationId) return;
      const [first] = before.items;
      // A new conversation that gets its name is the same one.
      const isSame = before.conversationId === undefined && first !== undefined && first.key === now.items[0]?.key;
      setAddress(isSame ? "replaceState" : "pushState", now.conversationId);
    },
    settle: (now) => setAddress("replaceState", now.conversationId),
  };
}
