import { ignoreRejection } from "../../../kit/async/ignore-rejection.ts";
import type { Api } from "./api/api.ts";
import type { Store, Unsent } from "./state/chat-state.ts";
import { listAllUnsent, removeUnsent } from "./state/unsent.ts";
import type { KeptDraft } from "./storage/drafts.ts";
import type { KeptText } from "./storage/kept-text.ts";
import type { KeptTexts } from "./storage/kept-texts.ts";
import { toRequest, type WaitingQuestions } from "./waiting-questions.ts";

export interface RestoredTexts {
  readonly api: Pick<Api, "runs">;
  readonly texts: Pick<KeptTexts, "claim" | "remove">;
  readonly screen: { restoreDrafts(kept: readonly KeptDraft[]): void };
  readonly store: Store;
  readonly waiting: Pick<WaitingQuestions, "restore">;
}

/** Restores what was written and has not reached the server, as far as is known. */
export async function restoreTexts({ api, texts, screen, store, waiting }: RestoredTexts): Promise<void> {
  const claimed = await texts.claim();
  screen.restoreDrafts(claimed.filter(({ kind }) => kind === "draft"));
  const unsent = claimed.filter(({ kind }) => kind === "unsent");
  store.change((chat) => {
    const known = new Set(listAllUnsent(chat).map(({ key }) => key));
    const found = unsent.filter(({ key }) => !known.has(key));
    return { ...chat, unsent: [...chat.unsent, ...found.map(toUnsentEntry)] };
  });
  void waiting.restore(claimed.filter(({ kind }) => kind === "queued"));
  void ignoreRejection(forgetTaken(), "what the server has is asked once, also where it is sent again");

  /** Forgets the questions that the server took before the page could hear of it. */
  async function forgetTaken(): Promise<void> {
    for (const { key, request } of unsent) {
      if (request === undefined || (await api.runs(key)).length === 0) continue;
      texts.remove(key);
      store.change((chat) => removeUnsent(chat, key));
    }
  }
}

function toUnsentEntry({ key, conversationId, text, files, isQueued = false, saidTo, request }: KeptText): Unsent {
  return { key, conversationId, text, files, isQueued, saidTo, request: request && toRequest(request, text) };
}
