import type { Caller } from "../../../core/caller.ts";

/** Says what has changed for the owner of some conversations. Whoever is told reads what it is now. */
export type Change =
  | { type: "conversation"; id: string }
  /** `until` is when it can no longer be brought back, in milliseconds since 1970; undefined where it cannot be. */
  | { type: "removed"; id: string; until?: number | undefined }
  | { type: "queue"; id: string };

/** Tells all pages of an owner what one of them has changed. */
export interface Changes {
  tell(caller: Pick<Caller, "owner">, change: Change): void;
  /** Calls the listener with each change from now on. The returned function stops this. */
  follow(caller: Pick<Caller, "owner">, listener: (change: Change) => void): () => void;
}

export function createChanges(): Changes {
  const listeners = new Set<{ owner: string | undefined; tell(change: Change): void }>();
  return {
    tell({ owner }, change) {
      for (const listener of listeners) if (listener.owner === owner) listener.tell(change);
    },
    follow({ owner }, tell) {
      const entry = { owner, tell };
      listeners.add(entry);
      return () => void listeners.delete(entry);
    },
  };
}
