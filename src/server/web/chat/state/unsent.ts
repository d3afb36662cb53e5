import { createKey } from "../create-key.ts";
import { type ChatState, isFinished, type Turn, toUnsent, type Unsent } from "./chat-state.ts";

export function addUnsent(chat: ChatState, entry: Omit<Unsent, "key">, key: string = createKey()): ChatState {
  return { ...chat, unsent: [...chat.unsent, { ...entry, key }] };
}

export function removeUnsent(chat: ChatState, key: string): ChatState {
  return { ...chat, unsent: chat.unsent.filter((entry) => entry.key !== key) };
}

/** Lets a text that was said to a run be sent again. One that its writer has removed meanwhile stays removed. */
export function offerAgain(chat: ChatState, key: string): ChatState {
  return changeUnsent(chat, key, { saidTo: undefined, isBeingQueued: undefined });
}

/** Takes a text out of sight that is being queued. */
export function markBeingQueued(chat: ChatState, key: string): ChatState {
  return changeUnsent(chat, key, { isBeingQueued: true });
}

function changeUnsent(chat: ChatState, key: string, change: Partial<Unsent>): ChatState {
  return { ...chat, unsent: chat.unsent.map((each) => (each.key === key ? { ...each, ...change } : each)) };
}

/** Gives a text that was said to a run the files that it is asked with, now that it is. */
export function addUnsentFiles(chat: ChatState, key: string, files: Unsent["files"]): ChatState {
  if (files.length === 0) return chat;
  return changeUnsent(chat, key, { files });
}

/**
 * Lists what the server has not taken, as far as is known: what waits to be sent again, and the questions in sight of which it has
 * no run.
 */
export function listAllUnsent({ unsent, turns }: ChatState): readonly Unsent[] {
  const isUnknown = ({ isRefused, isFollowed, run }: Turn): boolean =>
    isRefused === true || (isFollowed && run.runId === undefined && !isFinished(run));
  return [...unsent, ...Object.values(turns).filter(isUnknown).map(toUnsent)];
}

/** Lists what was not taken of the conversation in sight. */
export function listUnsent({ unsent, conversationId }: ChatState): readonly Unsent[] {
  const isOffered = ({ saidTo, isBeingQueued = false }: Unsent): boolean => saidTo === undefined && !isBeingQueued;
  return unsent.filter((entry) => entry.conversationId === conversationId && isOffered(entry));
}
