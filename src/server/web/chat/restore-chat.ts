import type { Api } from "./api/api.ts";
import { pauseAfter } from "./api/pause.ts";
import { RefusedError } from "./api/refused.ts";
import type { ServerSettings } from "./api/server-settings.ts";
import type { ChatConversations } from "./chat-conversations.ts";
import type { ChatList } from "./chat-list.ts";
import type { ChatRuns } from "./chat-runs.ts";
import type { ReportConnectivity } from "./connectivity.ts";
import type { Store } from "./state/store.ts";
import type { StoredChat } from "./storage/tab-storage.ts";

export interface RestoreOptions {
  readonly api: Api;
  readonly store: Store;
  readonly runs: ChatRuns;
  readonly conversations: ChatConversations;
  readonly list: ChatList;
  readonly kept: StoredChat;
  /** The conversation that the address names. */
  readonly named: string | undefined;
  readonly reportConnectivity: ReportConnectivity;
  /** Called once it is known how the server is set. */
  onSettings(): void;
}

/** What the tab showed before it was loaded again is found again, and what goes on is followed. */
export async function restoreChat(options: RestoreOptions): Promise<void> {
  const { api, store, runs, conversations, list, kept, named, reportConnectivity, onSettings } = options;
  const { choices: before } = store.state;
  const settings = await readSettings(api, reportConnectivity);
  store.change((chat) => {
    const { mode = settings.mode, search = settings.search.enabled } = kept.choices;
    // What has been chosen while the server was asked is not taken back.
    const choices = chat.choices === before ? { ...before, mode, search } : chat.choices;
    return { ...chat, settings, choices };
  });
  onSettings();
  const wanted = named ?? kept.conversationId;
  // Where something has been begun meanwhile, that stays in sight.
  const isNew = store.state.items.length === 0;
  for (const { id, question, conversationId } of kept.runs) runs.resume(id, question, conversationId);
  if (isNew && wanted !== undefined) await conversations.open(wanted);
  await list.refresh();
}

/** Without them there is nothing to do, so they are asked for until the server can be reached. */
async function readSettings(api: Api, reportConnectivity: ReportConnectivity): Promise<ServerSettings> {
  for (let failures = 1; ; failures += 1) {
    try {
      const settings = await api.settings();
      reportConnectivity("settings", false);
      return settings;
    } catch (thrown) {
      if (thrown instanceof RefusedError) throw thrown;
      reportConnectivity("settings", true);
    }
    await pauseAfter(failures);
  }
}
