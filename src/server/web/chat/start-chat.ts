import { ignoreRejection } from "../../../kit/async/ignore-rejection.ts";
import { type Locale, say } from "../../../kit/locale.ts";
import { limitToFrames } from "../dom.ts";
import { fetchAccount, fetchOwner, fetchTokenOwner, fetchUsage } from "./api/account.ts";
import { createApi } from "./api/api.ts";
import { createCaller } from "./api/call-agent.ts";
import { createOperatorApi } from "./api/operator.ts";
import { createSender } from "./api/sender.ts";
import { createChatList, createConversations, insertEntry, updateRun } from "./chat-conversations.ts";
import { createChatRuns } from "./chat-runs.ts";
import { createActions } from "./create-actions.ts";
import { loadOperator } from "./load-operator.ts";
import { createParts } from "./load-parts.ts";
import { createOwnerSender, createPageOwner } from "./page-owner.ts";
import { createReportErrors } from "./report-errors.ts";
import { restoreChat, retryUntilReached } from "./restore-chat.ts";
import { restoreTexts } from "./restore-texts.ts";
import { settleMessages } from "./settle-messages.ts";
import { type ChatState, createChat, createStore } from "./state/chat-state.ts";
import { chatTexts } from "./state/chat-texts.ts";
import { forgetUnreached, showProblem } from "./state/problems.ts";
import { getTabTitle } from "./state/side-entries.ts";
import { turnTexts } from "./state/turn-texts.ts";
import { createAddressHash } from "./storage/address-hash.ts";
import { createDrafts } from "./storage/drafts.ts";
import { listFormerOwners } from "./storage/former-owners.ts";
import { createUnsentKeeper } from "./storage/keep-unsent.ts";
import { openKeptDatabase } from "./storage/kept-database.ts";
import { createKeptTexts, toDraftKey } from "./storage/kept-texts.ts";
import { setLinkToken, takeToken, watchLinks } from "./storage/link-token.ts";
import { createLookKeeper } from "./storage/look.ts";
import { type OpenTab, openTab } from "./storage/open-tab.ts";
import { createSignInGate } from "./storage/sign-in-gate.ts";
import { createSignOuts } from "./storage/sign-outs.ts";
import { createPreferences, createSaver, createTabStorage } from "./storage/tab-storage.ts";
import { confirmAlone } from "./views/controls/dialog.tsx";
import { createScreen, type Screen } from "./views/screen.tsx";
import { createWaitingQuestions } from "./waiting-questions.ts";
import { createConnectivity } from "./watch/connectivity.ts";
import { watchChanges } from "./watch/watch-changes.ts";
import { watchReturns, watchWindow } from "./watch/watch-window.ts";

/** Starts the page at `/`. It connects user actions, server events and the view. */
export async function startChat(window: Window & typeof globalThis): Promise<void> {
  const { document, navigator } = window;
  const keeper = createTabStorage(() => window.sessionStorage);
  const preferences = createPreferences(() => window.localStorage);
  const signOuts = createSignOuts({ keeper, shared: () => window.localStorage, own: () => window.sessionStorage });
  if (signOuts.hasEnded()) signOuts.forget();
  const browserLocale = /^zh\b/i.test(navigator.language) ? "zh" : "en";
  const readLocale = () => preferences.complete(keeper.chat()).locale ?? browserLocale;
  const askChange = () => askAboutToken(document, readLocale());
  const readTokenOwner = (token: string) => fetchTokenOwner(token, readLocale());
  await setLinkToken(takeToken(window), keeper, askChange, readTokenOwner);
  keeper.removeMarked();
  const stored = preferences.complete(keeper.chat());
  // The questions of a tab without an owner may be anybody's.
  const kept = keeper.owner() === undefined ? { ...stored, runs: [] } : stored;
  let tab: OpenTab | undefined;
  const texts = createKeptTexts({
    database: openKeptDatabase(() => window.indexedDB),
    tab: () => tab?.id ?? "",
    owner: () => keeper.owner() ?? "",
    listFormerNames: () => ({
      tabs: [tab?.formerId ?? []].flat(),
      owners: listFormerOwners(store.state.account?.name, gate.token()),
    }),
    onLostFiles: () => store.change((chat) => showProblem(chat, say(screen.locale, turnTexts.filesNotKept))),
    listOpenTabs: async () => tab?.listOpen(),
  });
  const keepUnsent = createUnsentKeeper(texts);
  const save = createSaver(keeper);
  // What was kept counts until it has been found again.
  let hasBegun = false;
  let isLeaving = false;

  const place = createAddressHash(window);
  const draw = limitToFrames<ChatState>(window, (state) => {
    screen.show(state);
    document.title = getTabTitle(state);
  });
  const first = createChat({ mode: "chat", search: false, models: {}, parameters: {}, ...kept.choices });
  const store = createStore(first, (state, before) => {
    draw(state);
    if (!hasBegun || isLeaving) return;
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
    readOwner: (token) => retryUntilReached("token", () => fetchTokenOwner(token, getLocale()), reportConnectivity),
    admitOwner: (name) => owner.admitOwner(name),
    onRefusal: ({ message, hint }) => screen.explainToken([message, hint].filter(Boolean).join("\n")),
  });
  const sendAsAnybody = createSender({ origin: "", token: gate.token, locale: getLocale, signIn: gate.signIn });
  const owner = createPageOwner({
    keeper,
    readOwner: () => retryUntilReached("owner", () => fetchOwner(createCaller(sendAsAnybody)), reportConnectivity),
    onAnother() {
      place.settle({ ...store.state, conversationId: undefined });
      beginAnew();
    },
  });
  const send = createOwnerSender(sendAsAnybody, owner);
  const api = createApi(send);
  const call = createCaller(send);
  const attempt = createReportErrors(store, getLocale);
  const settingsKnown = Promise.withResolvers<void>();
  const runs = createChatRuns({
    api,
    store,
    locale: getLocale,
    reportConnectivity,
    ready: settingsKnown.promise,
    onListChange: refresh,
    onEnd: readMissed,
  });
  const conversations = createConversations(api, store, runs);
  const list = createChatList(api, store);
  const waiting = createWaitingQuestions({
    api,
    store,
    kept: texts,
    confirmOwner() {
      renewOwner();
      return owner.confirm();
    },
    isSeen: () => document.visibilityState === "visible",
  });
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
        const key = toDraftKey(tab?.id ?? "", conversationId);
        if (draft.text === "" && draft.files.length === 0) texts.remove(key);
        else texts.put({ ...draft, key, kind: "draft", conversationId });
      },
    ),
    look: createLookKeeper(() => window.localStorage),
    hasToken: gate.token() !== undefined,
    onToken: gate.setToken,
    onSignOut() {
      signOuts.record();
      void signOut();
    },
    onSignIn: () => keeper.keepToken(""),
  });
  const opened = openForOwner();
  void attempt(owner.confirm(), say(screen.locale, chatTexts.ownerUnknown)).then((isKnown) => {
    // Whoever takes a waiting question back is not to wait for files that do not come.
    if (!isKnown) void waiting.restore([]);
  });
  for (const act of [renewOwner, followSignOut]) watchReturns(window, act);
  window.addEventListener("storage", followSignOut);
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
    opened,
    onSettings: settingsKnown.resolve,
  });
  // Whoever has gone elsewhere on the page while it was loading is left there.
  if ((await attempt(begun)) && (document.activeElement ?? document.body) === document.body) screen.focus();
  await Promise.all([account, opened]);
  await restoreTexts({ api, texts, screen, store, waiting });
  settingsKnown.resolve();
  if (isLeaving) return;
  hasBegun = true;
  save(store.state, screen.locale);
  preferences.saveChoices({ locale: screen.locale, mode: store.state.choices.mode });
  place.settle(store.state);
  watchChanges(document, api, {
    lost: (isLost) => reportConnectivity("changes", isLost),
    reload() {
      store.change(forgetUnreached);
      readMissed();
      void waiting.sendLost();
    },
    entry(entry) {
      store.change((chat) => insertEntry(chat, entry));
      waiting.restoreConversation(entry.id);
    },
    removed(id, isRestorable) {
      conversations.handleRemoval(id);
      waiting.markRemoved(id, isRestorable);
    },
    run(run) {
      store.change((chat) => updateRun(chat, run));
      settleOwn();
      if (run.conversationId === store.state.conversationId) readMissed();
    },
    queue(id, queue) {
      store.change((chat) => (chat.conversationId === id ? { ...chat, queue } : chat));
      waiting.settle(id, queue);
    },
  });
  for (const name of ["pagehide", "visibilitychange"]) document.defaultView?.addEventListener(name, texts.flush, true);
  watchWindow({ window, store, place, actions, refresh, catchUp: readMissed });

  /** Opens what the tab keeps of its owner, as soon as the server has said who it is. */
  async function openForOwner(): Promise<void> {
    const name = await owner.known;
    tab = await openTab(window, name);
    screen.openDrafts(name);
    followSignOut();
  }

  function renewOwner(): void {
    // A token is always of the same owner; a cookie is shared with the other tabs.
    if (gate.token() === undefined) owner.renew();
  }

  function followSignOut(): void {
    if (signOuts.hasEnded()) void signOut();
  }

  /** Leaves nothing of the owner of the tab, whose next page asks for a sign-in. */
  async function signOut(): Promise<void> {
    isLeaving = true;
    await texts.forget();
    signOuts.forget();
    place.settle({ ...store.state, conversationId: undefined });
    beginAnew();
  }

  function beginAnew(): void {
    // What is in sight is not kept for somebody else.
    isLeaving = true;
    window.location.reload();
  }

  /** A failed refresh is ignored, because a slightly outdated list does no harm. */
  function refresh(): void {
    void ignoreRejection(list.refresh(), "a slightly outdated list does no harm");
  }

  /** Asks about what was said to runs as its writer alone: nobody else has these runs. */
  function settleOwn(): void {
    const settled = owner.confirm().then(() => settleMessages(api, store));
    void ignoreRejection(settled, "the next change of a run, or the next page, looks again");
  }

  /** Loads what was asked in other tabs and by other programs. */
  function readMissed(): void {
    refresh();
    settleOwn();
    void ignoreRejection(conversations.catchUp(), "the next change catches up again");
  }
}

/** Asks whether the token of a link replaces the one of this tab. */
function askAboutToken(document: Document, locale: Locale): Promise<boolean> {
  const { linkToken, useToken, cancel } = chatTexts;
  return confirmAlone(document, { text: say(locale, linkToken), yes: say(locale, useToken), no: say(locale, cancel) });
}
