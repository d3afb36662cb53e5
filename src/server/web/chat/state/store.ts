import type { ChatState } from "./chat-state.ts";

/** The one place that holds what the page shows. */
export interface Store {
  readonly state: ChatState;
  change(change: (state: ChatState) => ChatState): void;
}

export function createStore(first: ChatState, onChange: (state: ChatState, before: ChatState) => void): Store {
  let state = first;
  return {
    get state() {
      return state;
    },
    change(change) {
      const next = change(state);
      if (next === state) return;
      const before = state;
      state = next;
      onChange(state, before);
    },
  };
}
