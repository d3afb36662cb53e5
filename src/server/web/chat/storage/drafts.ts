import type { ChatState } from "../state/chat-state.ts";

/** What is written and not sent, in each conversation, for as long as the tab is open. */
export interface Drafts {
  /** Keeps what is written in the conversation that is in sight. */
  write(text: string): void;
  /** What is to stand in the field, of which this is the text, with this conversation in sight. */
  turnTo(chat: Pick<ChatState, "conversationId" | "items">, text: string): string;
}

/** Which conversation is in sight; the first turn tells one that has no name yet from another. */
interface Place {
  readonly id: string | undefined;
  readonly first: string | undefined;
}

/** A browser that refuses to keep things keeps none. */
export function createDrafts(storage: () => Storage): Drafts {
  let place: Place | undefined;
  const nameOf = (id = ""): string => `duet.draft.${id}`;
  const read = (id: string | undefined): string => {
    try {
      return storage().getItem(nameOf(id)) ?? "";
    } catch {
      return "";
    }
  };
  const keep = (id: string | undefined, text: string): void => {
    try {
      if (text === "") storage().removeItem(nameOf(id));
      else storage().setItem(nameOf(id), text);
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
