import type { Store, Unsent } from "./state/chat-state.ts";
import { listAllUnsent } from "./state/unsent.ts";
import type { KeptText } from "./storage/kept-text.ts";
import type { KeptTexts } from "./storage/kept-texts.ts";
import type { Screen } from "./views/screen.tsx";
import type { WaitingQuestions } from "./waiting-questions.ts";

export interface RestoredTexts {
  readonly texts: Pick<KeptTexts, "claim">;
  readonly screen: Pick<Screen, "restoreDrafts">;
  readonly store: Store;
  readonly waiting: Pick<WaitingQuestions, "restore">;
}

/** Restores what was written and has not reached the server. */
export async function restoreTexts({ texts, screen, store, waiting }: RestoredTexts): Promise<void> {
  const claimed = await texts.claim();
  screen.restoreDrafts(claimed.filter(({ kind }) => kind === "draft"));
  const unsent = claimed.filter(({ kind }) => kind === "unsent");
  store.change((chat) => {
    const known = new Set(listAllUnsent(chat).map(({ key }) => key));
    const found = unsent.filter(({ key }) => !known.has(key));
    return { ...chat, unsent: [...chat.unsent, ...found.map(toUnsentEntry)] };
  });
  void waiting.restore(claimed.filter(({ kind }) => kind === "queued"));
}

function toUnsentEntry({ key, conversationId, text, files, isQueued = false }: KeptText): Unsent {
  return { key, conversationId, text, files, isQueued };
}

/** Names who is signed in. Of a token, a number is enough to tell it from another one. */
export function toOwner(name: string | undefined, token: string | undefined): string {
  if (name !== undefined) return `person ${name}`;
  if (token === undefined) return "";
  const number = [...token].reduce(
    (sum, letter) => Math.imul(sum ^ (letter.codePointAt(0) ?? 0), 16_777_619),
    2_166_136_261,
  );
  return `token ${number >>> 0}`;
}
