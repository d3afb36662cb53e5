import { createApi } from "./api.ts";
import { createAttempt } from "./attempt.ts";
import { beginChat } from "./begin-chat.ts";
import { createConversations } from "./chat-conversations.ts";
import { createRuns } from "./chat-runs.ts";
import { type ChatState, emptyChat } from "./chat-state.ts";
import { createActions } from "./create-actions.ts";
import { oncePerFrame } from "./frame.ts";
import { createSender } from "./http.ts";
import { createKeeper, takeToken } from "./kept.ts";
import { createLosses } from "./losses.ts";
import { createSaver } from "./save-chat.ts";
import { createScreen, type Screen } from "./screen.ts";
import { createSignInGate } from "./sign-in-gate.ts";
import { createStore } from "./store.ts";

/** The page at `/`: joins what a person does, what the server tells, and what is shown. */
export async function startChat(window: Window & typeof globalThis): Promise<void> {
  const { document, navigator } = window;
  const keeper = createKeeper(() => window.sessionStorage);
  const given = takeToken(window);
  if (given !== undefined) keeper.keepToken(given);
  const kept = keeper.chat();
  const save = createSaver(keeper);
  // What was kept counts until it has been found again.
  let hasBegun = false;

  const draw = oncePerFrame<ChatState>(window, (state) => screen.show(state));
  const first = emptyChat({ mode: "chat", search: false, models: {}, parameters: {}, ...kept.choices });
  const store = createStore(first, (state) => {
    draw(state);
    if (hasBegun) save(state, screen.locale);
  });
  const locale = () => screen.locale;
  const gate = createSignInGate(keeper, (isWrong) => screen.askToken(isWrong));
  const api = createApi(createSender({ origin: "", token: keeper.token, signIn: gate.signIn }));
  const tellLoss = createLosses(store);
  const attempt = createAttempt(store, locale);
  let onSettings = (): void => {};
  const ready = new Promise<void>((resolve) => {
    onSettings = resolve;
  });
  const runs = createRuns({
    api,
    store,
    locale,
    tellLoss,
    ready,
    onListChange: refresh,
    onRefused(text) {
      if (screen.draft === "") screen.draft = text;
    },
  });
  const conversations = createConversations(api, store, runs);
  const actions = createActions({ api, store, runs, conversations, attempt, screen: () => screen });
  const screen: Screen = createScreen({
    document,
    locale: kept.locale ?? (/^zh\b/i.test(navigator.language) ? "zh" : "en"),
    actions,
    giveToken: gate.give,
  });
  screen.show(store.state);

  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || event.isComposing || document.querySelector("dialog[open]") !== null) return;
    if (screen.close() || actions.stop()) event.preventDefault();
  });
  window.addEventListener("focus", refresh);
  const begun = beginChat({ api, store, runs, conversations, kept, tellLoss, onSettings });
  if (await attempt(begun)) screen.focus();
  onSettings();
  hasBegun = true;
  save(store.state, screen.locale);

  /** A list that is a little old is no trouble to anybody. */
  function refresh(): void {
    conversations.refresh().catch(() => {});
  }
}
