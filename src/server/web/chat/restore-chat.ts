import type { Api } from "./api/api.ts";
import { pauseAfter } from "./api/pause.ts";
import { Refused } from "./api/refused.ts";
import type { ServerSettings } from "./api/server-settings.ts";
import type { ChatConversations } from "./chat-conversations.ts";
import type { ChatList } from "./chat-list.ts";
import type { ChatRuns } from "./chat-runs.ts";
import type { TellLoss } from "./connectivity.ts";
import type { Store } from "./state/store.ts";
import type { KeptChat } from "./storage/tab-storage.ts";

export interface BeginOptions {
  readonly api: Api;
  readonly store: Store;
  readonly runs: ChatRuns;
  readonly conversations: ChatConversations;
  readonly list: ChatList;
  readonly kept: KeptChat;
  /** The conversation that the address names. */
  readonly named: string | undefined;
  readonly tellLoss: TellLoss;
  /** Called once it is known how the server is set. */
  onSettings(): void;
}

/** What the tab showed before it was loaded again is found again, and what goes on is followed. */
export async function beginChat(options: BeginOptions): Promise<void> {
  const { api, store, runs, conversations, list, kept, named, tellLoss, onSettings } = options;
  const { choices: before } = store.state;
  const settings = await readSettings(api, tellLoss);
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
async function readSettings(api: Api, tellLoss: TellLoss): Promise<ServerSettings> {
  for (let failures = 1; ; failures += 1) {
    try {
      const settings = await api.settings();
      tellLoss("settings", false);
      return settings;
    } catch (thrown) {
      if (thrown instanceof Refused) throw thrown;
      tellLoss("settings", true);
    }
    await pauseAfter(failures);
  }
}
