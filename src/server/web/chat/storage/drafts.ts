import type { AttachedFile } from "../api/api.ts";
import type { ChatState } from "../state/chat-state.ts";

/** Holds what has been written and attached, and not been sent. */
export interface Draft {
  readonly text: string;
  readonly files: readonly AttachedFile[];
}

/** Keeps the draft of each conversation for as long as the tab is open; its files are too large to outlast a reload. */
export interface Drafts {
  /** Keeps what is written in the conversation that is in sight. */
  write(draft: Draft): void;
  /** Returns the draft for the input field when this conversation is shown; `now` is what the field holds. */
  turnTo(chat: Pick<ChatState, "conversationId" | "items">, now: Draft): Draft;
}

/** Identifies the shown conversation. The first turn distinguishes new conversations, which have no ID yet. */
interface Place {
  readonly id: string | undefined;
  readonly first: string | undefined;
}

/** Nothing is kept when the browser denies access to its storage. */
export function createDrafts(storage: () => Storage): Drafts {
  let place: Place | undefined;
  const filesOf = new Map<string, readonly AttachedFile[]>();
  const toStorageName = (id = ""): string => `duet.draft.${id}`;
  const readText = (id: string | undefined): string => {
    try {
      return storage().getItem(toStorageName(id)) ?? "";
    } catch {
      return "";
    }
  };
  const read = (id: string | undefined): Draft => ({ text: readText(id), files: filesOf.get(id ?? "") ?? [] });
  const keep = (id: string | undefined, { text, files }: Draft): void => {
    if (files.length === 0) filesOf.delete(id ?? "");
    else filesOf.set(id ?? "", files);
    try {
      if (text === "") storage().removeItem(toStorageName(id));
      else storage().setItem(toStorageName(id), text);
    } catch {
      // It stands in the field.
    }
  };
  const carry = (from: Place, to: Place, draft: Draft): Draft => {
    keep(from.id, { text: "", files: [] });
    keep(to.id, draft);
    return draft;
  };
  return {
    write: (draft) => keep(place?.id, draft),
    turnTo({ conversationId: id, items }, draft) {
      const before = place;
      const now = { id, first: items.find(({ kind }) => kind === "turn")?.key };
      place = now;
      if (before === undefined) return isEmpty(draft) ? read(id) : draft;
      if (before.id === id) return draft;
      const isNamed = before.id === undefined && before.first !== undefined && before.first === now.first;
      const kept = read(id);
      // What was begun where nothing has been asked yet, or goes to a new conversation, is not left behind.
      const goesAlong = isEmpty(kept) && (id === undefined || before.first === undefined);
      return isNamed || goesAlong ? carry(before, now, draft) : kept;
    },
  };
}

function isEmpty({ text, files }: Draft): boolean {
  return text === "" && files.length === 0;
}
