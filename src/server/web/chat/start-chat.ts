import { createApi } from "./api/api.ts";
import { createSender } from "./api/http.ts";
import { createSignInGate } from "./api/sign-in-gate.ts";
import { createConversations } from "./chat-conversations.ts";
import { createList } from "./chat-list.ts";
import { createRuns } from "./chat-runs.ts";
import { createConnectivity } from "./connectivity.ts";
import { createActions } from "./create-actions.ts";
import { limitToFrames } from "./parts/once-per-frame.ts";
import { createScreen, type Screen } from "./parts/screen.ts";
import { createReportErrors } from "./report-errors.ts";
import { restoreChat } from "./restore-chat.ts";
import { type ChatState, createChat } from "./state/chat-state.ts";
import { createStore } from "./state/store.ts";
import { getTabTitle } from "./state/talk-title.ts";
import { createAddressHash } from "./storage/address-hash.ts";
import { createDrafts } from "./storage/drafts.ts";
import { createPreferences } from "./storage/preferences.ts";
import { createSaver } from "./storage/save-chat.ts";
import { createTabStorage, takeToken } from "./storage/tab-storage.ts";
import { watchWindow } from "./watch-window.ts";

/** The page at `/`: joins what a person does, what the server tells, and what is shown. */
export async function startChat(window: Window & typeof globalThis): Promise<void> {
  const { document, navigator } = window;
  const keeper = createTabStorage(() => window.sessionStorage);
  const given = takeToken(window);
  if (given !== undefined) keeper.keepToken(given);
  const preferences = createPreferences(() => window.localStorage);
  const kept = preferences.complete(keeper.chat());
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
    preferences.note({ locale: screen.locale, mode: state.choices.mode });
    place.follow(before, state);
  });
  const locale = () => screen.locale;
  const gate = createSignInGate(keeper, (isWrong) => screen.askToken(isWrong));
  const api = createApi(createSender({ origin: "", token: keeper.token, signIn: gate.signIn }));
  const reportConnectivity = createConnectivity(store);
  const attempt = createReportErrors(store, locale);
  let onSettings = (): void => {};
  const ready = new Promise<void>((resolve) => {
    onSettings = resolve;
  });
  const runs = createRuns({
    api,
    store,
    locale,
    reportConnectivity,
    ready,
    onListChange: refresh,
    onEnd: catchUp,
    onRefused(text) {
      if (screen.draft === "") screen.draft = text;
    },
  });
  const conversations = createConversations(api, store, runs);
  const list = createList(api, store);
  const actions = createActions({ api, store, runs, conversations, list, place, attempt, screen: () => screen });
  const screen: Screen = createScreen({
    document,
    locale: kept.locale ?? (/^zh\b/i.test(navigator.language) ? "zh" : "en"),
    actions,
    drafts: createDrafts(() => window.sessionStorage),
    giveToken: gate.give,
  });
  screen.show(store.state);

  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || event.isComposing || document.querySelector("dialog[open]") !== null) return;
    if (screen.close() || actions.stop()) event.preventDefault();
  });
  const named = place.conversationId;
  const begun = restoreChat({ api, store, runs, conversations, list, kept, named, reportConnectivity, onSettings });
  if (await attempt(begun)) screen.focus();
  onSettings();
  hasBegun = true;
  save(store.state, screen.locale);
  preferences.note({ locale: screen.locale, mode: store.state.choices.mode });
  place.settle(store.state);
  watchWindow({ window, store, place, actions, refresh, catchUp });

  /** A list that is a little old is no trouble to anybody. */
  function refresh(): void {
    list.refresh().catch(() => {});
  }

  /** What was asked in other tabs, and by other programs. */
  function catchUp(): void {
    refresh();
    conversations.catchUp().catch(() => {});
  }
}
