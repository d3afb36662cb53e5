import type { ChatActions } from "./parts/chat-actions.ts";
import { hasUnfollowed } from "./state/side-entries.ts";
import type { Store } from "./state/store.ts";
import type { AddressHash } from "./storage/address-hash.ts";

export interface WatchOptions {
  readonly window: Window;
  readonly store: Store;
  readonly place: AddressHash;
  readonly actions: Pick<ChatActions, "open" | "newChat">;
  refresh(): void;
  catchUp(): void;
}

/** How often the list is read while something goes on that is not followed, in milliseconds. */
const listMs = 10_000;

/** What happens elsewhere is seen when the window is looked at again; back and forward open what was open. */
export function watchWindow({ window, store, place, actions, refresh, catchUp }: WatchOptions): void {
  window.addEventListener("focus", catchUp);
  window.addEventListener("popstate", () => {
    const { conversationId: id } = place;
    if (id === store.state.conversationId) return;
    if (id === undefined) actions.newChat();
    else actions.open(id);
  });
  window.setInterval(() => {
    if (window.document.visibilityState === "visible" && hasUnfollowed(store.state)) refresh();
  }, listMs);
}
