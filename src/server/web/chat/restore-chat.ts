import type { Api } from "./api/api.ts";
import { ApiError } from "./api/api-error.ts";
import { pauseAfter } from "./api/pause-after.ts";
import type { ChatConversations, ChatList } from "./chat-conversations.ts";
import type { ChatRuns } from "./chat-runs.ts";
import type { Store } from "./state/chat-state.ts";
import type { StoredChat } from "./storage/tab-storage.ts";
import type { ReportConnectivity } from "./watch/connectivity.ts";

export interface RestoreOptions {
  readonly api: Api;
  readonly store: Store;
  readonly runs: ChatRuns;
  readonly conversations: ChatConversations;
  readonly list: ChatList;
  readonly kept: StoredChat;
  /** Is the conversation ID in the address. */
  readonly named: string | undefined;
  readonly reportConnectivity: ReportConnectivity;
  /** Resolves when the server has said that the tab is of whoever asks: nothing that was written in it is in sight before. */
  readonly opened: Promise<void>;
  /** Runs once the server settings are known. */
  onSettings(): void;
}

/** Restores what the tab showed before a reload, and follows the runs in progress. */
export async function restoreChat(options: RestoreOptions): Promise<void> {
  const { api, store, runs, conversations, list, kept, named, reportConnectivity, opened, onSettings } = options;
  const { choices: before } = store.state;
  // The page cannot work without the settings.
  const settings = await retryUntilReached("settings", api.settings, reportConnectivity);
  store.change((chat) => {
    const { mode = settings.mode, search = settings.search.enabled } = kept.choices;
    // What has been chosen while the server was asked is not taken back.
    const choices = chat.choices === before ? { ...before, mode, search } : chat.choices;
    return { ...chat, settings, choices };
  });
  onSettings();
  await opened;
  const wanted = named ?? kept.conversationId;
  // Where something has been begun meanwhile, that stays in sight.
  const isNew = store.state.items.length === 0;
  for (const { id, question, conversationId } of kept.runs) runs.resume(id, question, conversationId);
  // What was chosen in this tab since its last run stays chosen.
  if (isNew && wanted !== undefined) await conversations.open(wanted, wanted === kept.conversationId);
  await list.refresh();
}

/** Tries work again while the server cannot be reached or may answer a little later. Rejects with `ApiError` where it refuses. */
export async function retryUntilReached<T>(
  who: string,
  work: () => Promise<T>,
  reportConnectivity: ReportConnectivity,
): Promise<T> {
  for (let failures = 1; ; failures += 1) {
    try {
      const result = await work();
      reportConnectivity(who, false);
      return result;
    } catch (thrown) {
      if (thrown instanceof ApiError && thrown.status < 500 && thrown.status !== 429) {
        reportConnectivity(who, false);
        throw thrown;
      }
      reportConnectivity(who, true);
    }
    await pauseAfter(failures);
  }
}
