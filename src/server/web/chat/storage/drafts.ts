import type { AttachedFile } from "../api/api.ts";
import type { ChatState } from "../state/chat-state.ts";

/** Holds what has been written and attached, and not been sent. */
export interface Draft {
  readonly text: string;
  readonly files: readonly AttachedFile[];
}

/** Keeps the draft of each conversation. The tab has the texts at once after a reload; what is kept elsewhere is found again later. */
export interface Drafts {
  /** Keeps what is written in the conversation that is in sight. */
  write(draft: Draft): void;
  /** Returns the draft for the input field when this conversation is shown; `now` is what the field holds. */
  turnTo(chat: Pick<ChatState, "conversationId" | "items">, now: Draft): Draft;
  /** Opens what the tab keeps of its owner. Returns the draft for the field, which may hold what has been written meanwhile. */
  open(owner: string, now: Draft): Draft;
  /** Takes what was kept of conversations. Returns the draft for the field, which may hold what has been written meanwhile. */
  restore(kept: readonly KeptDraft[], now: Draft): Draft;
}

export interface KeptDraft extends Draft {
  readonly conversationId: string | undefined;
}

const draftPrefix = "duet.draft ";

/** Identifies the shown conversation. The first turn distinguishes new conversations, which have no ID yet. */
interface Place {
  readonly id: string | undefined;
  readonly first: string | undefined;
}

/**
 * Nothing is read or kept before it is known whose it is. The texts stay in this page alone when the browser denies access to its storage. `onKeep` learns of
 * each draft that changes.
 */
export function createDrafts(
  storage: () => Storage,
  onKeep: (id: string | undefined, draft: Draft) => void = () => {},
): Drafts {
  let place: Place | undefined;
  const filesOf = new Map<string, readonly AttachedFile[]>();
  let owner: string | undefined;
  const toStorageName = (id = ""): string => `${draftPrefix}${JSON.stringify([owner, id])}`;
  const readText = (id: string | undefined): string => {
    if (owner === undefined) return "";
    try {
      return storage().getItem(toStorageName(id)) ?? "";
    } catch {
      return "";
    }
  };
  const read = (id: string | undefined): Draft => ({ text: readText(id), files: filesOf.get(id ?? "") ?? [] });
  const keep = (id: string | undefined, draft: Draft): void => {
    const { text, files } = draft;
    const before = read(id);
    if (files.length === 0) filesOf.delete(id ?? "");
    else filesOf.set(id ?? "", files);
    if (owner === undefined) return;
    try {
      if (text === "") storage().removeItem(toStorageName(id));
      else storage().setItem(toStorageName(id), text);
    } catch {
      // It stands in the field.
    }
    if (before.text !== text || before.files !== files) onKeep(id, draft);
  };
  const carry = (from: Place, to: Place, draft: Draft): Draft => {
    keep(from.id, nothing);
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
    open(known, now) {
      owner = known;
      const { text } = read(place?.id);
      const draft = { ...now, text: [text, now.text].filter(Boolean).join("\n") };
      if (!isEmpty(now)) onKeep(place?.id, draft);
      return draft;
    },
    restore(kept, now) {
      let shown = now;
      for (const { conversationId: id, text, files } of kept) {
        const isShown = id === place?.id;
        const known = isShown ? now : read(id);
        // A text that was changed since it was kept is newer, and its files are the same.
        const draft = { text: known.text || text, files: known.files.length > 0 ? known.files : files };
        if (isShown) shown = draft;
        else keep(id, draft);
      }
      return shown;
    },
  };
}

/** Removes the drafts of an owner from the tab's storage, in all conversations. */
export function removeDrafts(storage: () => Storage, owner: string): void {
  const prefix = draftPrefix + JSON.stringify([owner, ""]).slice(0, -'""]'.length);
  try {
    const kept = storage();
    for (const name of Object.keys(kept)) if (name.startsWith(prefix)) kept.removeItem(name);
  } catch {
    // Nothing has been kept.
  }
}

const nothing: Draft = { text: "", files: [] };

function isEmpty({ text, files }: Draft): boolean {
  return text === "" && files.length === 0;
}
