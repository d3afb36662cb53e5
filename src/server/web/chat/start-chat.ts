import { ignoreRejection } from "../../../kit/async/ignore-rejection.ts";
import { type Locale, say } from "../../../kit/locale.ts";
import { limitToFrames } from "../dom.ts";
import { fetchAccount, fetchOwner, fetchUsage } from "./api/account.ts";
import { createApi } from "./api/api.ts";
import { ApiError } from "./api/api-error.ts";
import { createCaller } from "./api/call-agent.ts";
import { createSender } from "./api/follow-run.ts";
import { createOperatorApi } from "./api/operator.ts";
import { createChatList, createConversations, dropEntry, insertEntry, updateRun } from "./chat-conversations.ts";
import { createChatRuns, createConnectivity } from "./chat-runs.ts";
import { createActions } from "./create-actions.ts";
import { loadOperator } from "./load-operator.ts";
import { createParts } from "./load-parts.ts";
import { createReportErrors } from "./report-errors.ts";
import { restoreChat, retryUntilReached } from "./restore-chat.ts";
import { restoreTexts } from "./restore-texts.ts";
import { settleMessages } from "./settle-messages.ts";
import { type ChatState, createChat, createStore, type Store } from "./state/chat-state.ts";
import { chatTexts } from "./state/chat-texts.ts";
import { getTabTitle, hasUnfollowed } from "./state/side-entries.ts";
import { turnTexts } from "./state/turn-texts.ts";
import { type AddressHash, createAddressHash } from "./storage/address-hash.ts";
import { createDrafts } from "./storage/drafts.ts";
import { createUnsentKeeper } from "./storage/keep-unsent.ts";
import { openKeptDatabase } from "./storage/kept-database.ts";
import { createKeptTexts, toDraftKey } from "./storage/kept-texts.ts";
import { setLinkToken, takeToken, watchLinks } from "./storage/link-token.ts";
import { createLookKeeper } from "./storage/look.ts";
import { openTab } from "./storage/open-tab.ts";
import { createSignInGate } from "./storage/sign-in-gate.ts";
import { createPreferences, createSaver, createTabStorage } from "./storage/tab-storage.ts";
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
  await setLinkToken(takeToken(window), keeper, askChange, readTokenOwner);
  keeper.forgetLeft();
  const kept = preferences.complete(keeper.chat());
  const tab = await openTab(window);
  const texts = createKeptTexts({
    database: openKeptDatabase(() => window.indexedDB),
    tab: tab.id,
    owner: () => keeper.owner() ?? "",
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
    if (await setLinkToken(token, keeper, askChange, readTokenOwner)) beginAnew();
    else if (hasBegun) place.settle(store.state);
  });
  const getLocale = () => screen.locale;
  const reportConnectivity = createConnectivity(store);
  const gate = createSignInGate({
    keeper,
    ask: (isWrong) => screen.askToken(isWrong),
    readOwner: (token) => retryUntilReached("token", () => readTokenOwner(token), reportConnectivity),
    enter,
  });
  const send = createSender({ origin: "", token: gate.token, signIn: gate.signIn });
  const api = createApi(send);
  const call = createCaller(send);
  const attempt = createReportErrors(store, getLocale);
  let reportSettings = (): void => {};
  const isSet = new Promise<void>((resolve) => {
    reportSettings = resolve;
  });
  const entered = attempt(retryUntilReached("owner", () => fetchOwner(call), reportConnectivity).then(waitForOwner));
  const ready = isSet.then(async () => void (await entered));
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
    onLeave() {
      keeper.keepToken("");
      if (keeper.owner() !== undefined) keeper.leave();
    },
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
  if (await entered) await restoreTexts({ api, texts, screen, store, waiting });
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
      void settleMessages(api, store);
      if (run.conversationId === store.state.conversationId) readMissed();
    },
    queue(id, queue) {
      store.change((chat) => (chat.conversationId === id ? { ...chat, queue } : chat));
      waiting.settle(id, queue);
    },
  });
  for (const name of ["pagehide", "visibilitychange"]) document.defaultView?.addEventListener(name, texts.flush, true);
  watchWindow({ window, store, place, actions, refresh, catchUp: readMissed });
  window.addEventListener("focus", () => {
    // Another tab may have signed somebody else in.
    if (gate.token() === undefined && store.state.account?.provider !== undefined)
      void ignoreRejection(fetchOwner(call).then(enter), "the next look at the page asks again");
  });

  /** Takes over whom the server knows. What somebody else has written in the tab is put by, and the page begins anew. */
  function enter(owner: string): boolean {
    const isOwn = (keeper.owner() ?? owner) === owner;
    if (isOwn) keeper.keepOwner(owner);
    else {
      keeper.leave();
      place.settle({ ...store.state, conversationId: undefined });
      beginAnew();
    }
    return isOwn;
  }

  /** Does nothing more in a tab that is somebody else's. */
  function waitForOwner(owner: string): Promise<void> {
    return enter(owner) ? Promise.resolve() : new Promise(() => {});
  }

  function beginAnew(): void {
    // What is in sight is not kept for somebody else.
    hasBegun = false;
    window.location.reload();
  }

  /** A failed refresh is ignored, because a slightly outdated list does no harm. */
  function refresh(): void {
    void ignoreRejection(list.refresh(), "a slightly outdated list does no harm");
  }

  /** Loads what was asked in other tabs and by other programs. */
  function readMissed(): void {
    refresh();
    void settleMessages(api, store);
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

/** Asks the server for the owner of a token, without the sign-in of this page. */
function readTokenOwner(token: string): Promise<string> {
  const signIn = () => Promise.reject(new ApiError(401, "the token is nobody's", null));
  return fetchOwner(createCaller(createSender({ origin: "", token: () => token, signIn })));
}

/** Asks whether the token of a link replaces the one of this tab. */
function askAboutToken(document: Document, locale: Locale): Promise<boolean> {
  const { linkToken, useToken, cancel } = chatTexts;
  return confirmAlone(document, { text: say(locale, linkToken), yes: say(locale, useToken), no: say(locale, cancel) });
}
