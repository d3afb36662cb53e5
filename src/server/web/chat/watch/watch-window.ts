import type { Store } from "../state/chat-state.ts";
import { hasUnfollowed } from "../state/side-entries.ts";
import type { AddressHash } from "../storage/address-hash.ts";
import type { ChatActions } from "../views/chat-actions.ts";

export interface WatchOptions {
  readonly window: Window;
  readonly store: Store;
  readonly place: AddressHash;
  readonly actions: Pick<ChatActions, "open" | "newChat">;
  refresh(): void;
  catchUp(): void;
}

/** Sets how often the list is read while a run is active that the page does not follow, in milliseconds. */
const listMs = 10_000;

/**
 * Loads changes from elsewhere when the window becomes visible again. The back and forward buttons open the conversation of that
 * history entry.
 */
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

/** Runs each time somebody comes back to the page, before anything else does. */
export function watchReturns(window: Window, onReturn: () => void): void {
  window.addEventListener("focus", onReturn);
  window.document.addEventListener("visibilitychange", () => {
    if (window.document.visibilityState === "visible") onReturn();
  });
}
