import type { ChatState } from "../state/chat-state.ts";

/** Keeps the unsent text of each conversation for as long as the tab is open. */
export interface Drafts {
  /** Keeps what is written in the conversation that is in sight. */
  write(text: string): void;
  /** Returns the text for the input field when this conversation is shown; `text` is what the field holds now. */
  turnTo(chat: Pick<ChatState, "conversationId" | "items">, text: string): string;
}

/** Identifies the shown conversation. The first turn distinguishes new conversations, which have no ID yet. */
interface Place {
  readonly id: string | undefined;
  readonly first: string | undefined;
}

/** Nothing is kept when the browser denies access to its storage. */
export function createDrafts(storage: () => Storage): Drafts {
  let place: Place | undefined;
  const toStorageName = (id = ""): string => `duet.draft.${id}`;
  const read = (id: string | undefined): string => {
    try {
      return storage().getItem(toStorageName(id)) ?? "";
    } catch {
      return "";
    }
  };
  const keep = (id: string | undefined, text: string): void => {
    try {
      if (text === "") storage().removeItem(toStorageName(id));
      else storage().setItem(toStorageName(id), text);
    } catch {
      // It stands in the field.
    }
  };
  const carry = (from: Place, to: Place, text: string): string => {
    keep(from.id, "");
    keep(to.id, text);
    return text;
  };
  return {
    write: (text) => keep(place?.id, text),
    turnTo({ conversationId: id, items }, text) {
      const before = place;
      const now = { id, first: items.find(({ kind }) => kind === "turn")?.key };
      place = now;
      if (before === undefined) return text || read(id);
      if (before.id === id) return text;
      const isNamed = before.id === undefined && before.first !== undefined && before.first === now.first;
      const kept = read(id);
      // What was begun where nothing has been asked yet, or goes to a new conversation, is not left behind.
      const goesAlong = kept === "" && (id === undefined || before.first === undefined);
      return isNamed || goesAlong ? carry(before, now, text) : kept;
    },
  };
}
