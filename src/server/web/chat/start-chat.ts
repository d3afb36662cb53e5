import { ignoreRejection } from "../../../kit/async/ignore-rejection.ts";
import { type Locale, say } from "../../../kit/locale.ts";
import { limitToFrames } from "../dom.ts";
import { fetchAccount, fetchUsage } from "./api/account.ts";
import { type Api, createApi } from "./api/api.ts";
import { ApiError } from "./api/api-error.ts";
import { createCaller } from "./api/call-agent.ts";
import { createSender, pauseAfter } from "./api/follow-run.ts";
import { createOperatorApi } from "./api/operator.ts";
import type { ServerSettings } from "./api/server-settings.ts";
import {
  type ChatConversations,
  type ChatList,
  createChatList,
  createConversations,
  dropEntry,
  insertEntry,
  updateRun,
} from "./chat-conversations.ts";
import { type ChatRuns, createChatRuns, createConnectivity, type ReportConnectivity } from "./chat-runs.ts";
import { createActions } from "./create-actions.ts";
import { loadOperator } from "./load-operator.ts";
import { createParts } from "./load-parts.ts";
import { createReportErrors } from "./report-errors.ts";
import { restoreTexts, toOwner } from "./restore-texts.ts";
import { type ChatState, createChat, createStore, type Store } from "./state/chat-state.ts";
import { chatTexts } from "./state/chat-texts.ts";
import { getTabTitle, hasUnfollowed } from "./state/side-entries.ts";
import { turnTexts } from "./state/turn-texts.ts";
import { type AddressHash, createAddressHash } from "./storage/address-hash.ts";
import { createDrafts } from "./storage/drafts.ts";
import { createUnsentKeeper } from "./storage/keep-unsent.ts";
import { openKeptDatabase } from "./storage/kept-database.ts";
import { createKeptTexts, toDraftKey } from "./storage/kept-texts.ts";
import { createLookKeeper } from "./storage/look.ts";
import { openTab } from "./storage/open-tab.ts";
import {
  createPreferences,
  createSaver,
  createSignInGate,
  createTabStorage,
  type StoredChat,
  setLinkToken,
  takeToken,
  watchLinks,
} from "./storage/tab-storage.ts";
import type { ChatActions } from "./views/chat-actions.ts";
import { confirmAlone } from "./views/dialog.tsx";
import { createScreen, type Screen } from "./views/screen.tsx";
import { createWaitingQuestions } from "./waiting-questions.ts";
import { watchChanges } from "./watch-changes.ts";

/** Starts the page at `/`. It connects user actions, server events and the view. */
export async function startChat(window: Window & typeof globalThis): Promise<void> {
  const { document, navigator } = window;
  const keeper = createTabStorage(() => window.sessionStorage);
  const preferences = createPreferences(() => window.localStorage);
  const browserLocale = /^zh\b/i.test(navigator.language) ? "zh" : "en";
  const askChange = () => askAboutToken(document, preferences.complete(keeper.chat()).locale ?? browserLocale);
  await setLinkToken(takeToken(window), keeper, askChange);
  const kept = preferences.complete(keeper.chat());
  const tab = await openTab(window);
  const texts = createKeptTexts({
    database: openKeptDatabase(() => window.indexedDB),
    tab: tab.id,
    owner: () => toOwner(store.state.account?.name, keeper.token()),
    onLostFiles: () => store.change((chat) => ({ ...chat, problem: say(screen.locale, turnTexts.filesNotKept) })),
    listOpenTabs: tab.listOpen,
  });
  const keepUnsent = createUnsentKeeper(texts);
  const save = createSaver(keeper);
  // What was kept counts until it has been found again.
  let hasBegun = false;

  const place = createAddressHash(window);
  const draw = limitToFrames<ChatState>(window, (state) => {
    screen.show(state);
    document.title = getTabTitle(state);
  });
  const first = createChat({ mode: "chat", search: false, models: {}, parameters: {}, ...kept.choices });
  const store = createStore(first, (state, before) => {
    draw(state);
    if (!hasBegun) return;
    save(state, screen.locale);
    keepUnsent(state);
    preferences.saveChoices({ locale: screen.locale, mode: state.choices.mode });
    place.follow(before, state);
  });
  watchLinks(window, async (token) => {
    if (await setLinkToken(token, keeper, askChange)) {
      // What is in sight is not kept for the other token.
      hasBegun = false;
      window.location.reload();
    } else if (hasBegun) place.settle(store.state);
  });
  const getLocale = () => screen.locale;
  const gate = createSignInGate(keeper, (isWrong) => screen.askToken(isWrong));
  const send = createSender({ origin: "", token: keeper.token, signIn: gate.signIn });
  const api = createApi(send);
  const call = createCaller(send);
  const reportConnectivity = createConnectivity(store);
  const attempt = createReportErrors(store, getLocale);
  let reportSettings = (): void => {};
  const ready = new Promise<void>((resolve) => {
    reportSettings = resolve;
  });
  const runs = createChatRuns({
    api,
    store,
    locale: getLocale,
    reportConnectivity,
    ready,
    onListChange: refresh,
    onEnd: readMissed,
  });
  const conversations = createConversations(api, store, runs);
  const list = createChatList(api, store);
  const waiting = createWaitingQuestions({ api, store, kept: texts });
  const actions = createActions({
    waiting,
    api,
    store,
    runs,
    conversations,
    list,
    place,
    attempt,
    screen: () => screen,
  });
  const screen: Screen = createScreen({
    document,
    locale: kept.locale ?? browserLocale,
    first,
    actions,
    parts: createParts(api),
    operator: createOperatorApi(call),
    loadOperator,
    readUsage: () => fetchUsage(call),
    drafts: createDrafts(
      () => window.sessionStorage,
      (conversationId, draft) => {
        const key = toDraftKey(tab.id, conversationId);
        if (draft.text === "" && draft.files.length === 0) texts.remove(key);
        else texts.put({ ...draft, key, kind: "draft", conversationId });
      },
    ),
    look: createLookKeeper(() => window.localStorage),
    onToken: gate.setToken,
    onLeave: () => keeper.keepToken(""),
  });
  const account = ignoreRejection(
    fetchAccount().then((found) => store.change((chat) => ({ ...chat, account: found }))),
    "the page works without knowing who is signed in",
  );

  document.addEventListener("keydown", (event) => {
    if (screen.handleKey(event)) event.preventDefault();
    if (event.key !== "Escape" || event.isComposing || document.querySelector("dialog[open], :popover-open") !== null)
      return;
    if (screen.close() || actions.stop()) event.preventDefault();
  });
  const named = place.conversationId;
  const begun = restoreChat({
    api,
    store,
    runs,
    conversations,
    list,
    kept,
    named,
    reportConnectivity,
    onSettings: reportSettings,
  });
  // Whoever has gone elsewhere on the page while it was loading is left there.
  if ((await attempt(begun)) && (document.activeElement ?? document.body) === document.body) screen.focus();
  await account;
  await restoreTexts({ api, texts, screen, store, waiting });
  reportSettings();
  hasBegun = true;
  save(store.state, screen.locale);
  preferences.saveChoices({ locale: screen.locale, mode: store.state.choices.mode });
  place.settle(store.state);
  watchChanges(document, api, {
    reload() {
      readMissed();
      void waiting.sendLost();
    },
    entry: (entry) => store.change((chat) => insertEntry(chat, entry)),
    removed(id) {
      store.change((chat) => dropEntry(chat, id));
      waiting.forgetConversation(id);
    },
    run(run) {
      store.change((chat) => updateRun(chat, run));
      if (run.conversationId === store.state.conversationId) readMissed();
    },
    queue(id, queue) {
      store.change((chat) => (chat.conversationId === id ? { ...chat, queue } : chat));
      waiting.settle(id, queue);
    },
  });
  for (const name of ["pagehide", "visibilitychange"]) document.defaultView?.addEventListener(name, texts.flush, true);
  watchWindow({ window, store, place, actions, refresh, catchUp: readMissed });

  /** A failed refresh is ignored, because a slightly outdated list does no harm. */
  function refresh(): void {
    void ignoreRejection(list.refresh(), "a slightly outdated list does no harm");
  }

  /** Loads what was asked in other tabs and by other programs. */
  function readMissed(): void {
    refresh();
    void ignoreRejection(conversations.catchUp(), "the next change catches up again");
  }
}

export interface WatchOptions {
  readonly window: Window;
  readonly store: Store;
  readonly place: AddressHash;
  readonly actions: Pick<ChatActions, "open" | "newChat">;
  refresh(): void;
  catchUp(): void;
}

/** Sets how often the list is read while a run is active that the page does not follow, in milliseconds. */
const listMs = 10_000;

/**
 * Loads changes from elsewhere when the window becomes visible again. The back and forward buttons open the conversation of that
 * history entry.
 */
export function watchWindow({ window, store, place, actions, refresh, catchUp }: WatchOptions): void {
  window.addEventListener("focus", catchUp);
  window.addEventListener("popstate", () => {
    const { conversationId: id } = place;
    if (id === store.state.conversationId) return;
    if (id === undefined) actions.newChat();
    else actions.open(id);
  });
  window.setInterval(() => {
    if (window.document.visibilityState === "visible" && hasUnfollowed(store.state)) refresh();
  }, listMs);
}

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
  /** Runs once the server settings are known. */
  onSettings(): void;
}

/** Restores what the tab showed before a reload, and follows the runs in progress. */
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
  // What was chosen in this tab since its last run stays chosen.
  if (isNew && wanted !== undefined) await conversations.open(wanted, wanted === kept.conversationId);
  await list.refresh();
}

/** Retries until the server can be reached, because the page cannot work without the settings. */
async function readSettings(api: Api, reportConnectivity: ReportConnectivity): Promise<ServerSettings> {
  for (let failures = 1; ; failures += 1) {
    try {
      const settings = await api.settings();
      reportConnectivity("settings", false);
      return settings;
    } catch (thrown) {
      if (thrown instanceof ApiError) throw thrown;
      reportConnectivity("settings", true);
    }
    await pauseAfter(failures);
  }
}

/** Asks whether the token of a link replaces the one of this tab. */
function askAboutToken(document: Document, locale: Locale): Promise<boolean> {
  const { linkToken, useToken, cancel } = chatTexts;
  return confirmAlone(document, { text: say(locale, linkToken), yes: say(locale, useToken), no: say(locale, cancel) });
}
