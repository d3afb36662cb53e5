import { type Locale, say } from "../../../core/locale.ts";
import { createApi } from "./api.ts";
import type { ChatActions } from "./chat-actions.ts";
import { chooseMode, chooseModel, chooseParameter, chooseSearch, startAnew } from "./chat-choices.ts";
import { createConversations } from "./chat-conversations.ts";
import { createRuns } from "./chat-runs.ts";
import { type ChatState, emptyChat, goingTurn } from "./chat-state.ts";
import { chatTexts } from "./chat-texts.ts";
import { type ChatView, createChatView } from "./chat-view.ts";
import { createSignIn, type SignIn } from "./dialog.ts";
import { oncePerFrame } from "./frame.ts";
import { createSender } from "./http.ts";
import { createKeeper, takeToken } from "./kept.ts";
import { Refused } from "./refused.ts";
import { createStore } from "./store.ts";

/** The page at `/`: joins what a person does, what the server tells, and what is shown. */
export async function startChat(window: Window & typeof globalThis): Promise<void> {
  const { document, navigator } = window;
  const keeper = createKeeper(() => window.sessionStorage);
  const given = takeToken(window);
  if (given !== undefined) keeper.keepToken(given);
  const kept = keeper.chat();
  let locale: Locale = kept.locale ?? (/^zh\b/i.test(navigator.language) ? "zh" : "en");

  const first = emptyChat({ mode: "agent", search: false, models: {}, parameters: {}, ...kept.choices });
  const draw = oncePerFrame<ChatState>(window, (state) => view.show(state));
  const store = createStore(first, (state) => {
    draw(state);
    keep(state);
  });
  let keptNow = "";
  // What was kept counts until it has been found again.
  let hasBegun = false;
  let signedIn: (() => void)[] = [];
  const send = createSender({
    origin: "",
    token: keeper.token,
    signIn: () =>
      new Promise((resolve) => {
        signedIn.push(resolve);
        signIn.ask(keeper.token() !== undefined);
      }),
  });
  const api = createApi(send);
  const runs = createRuns({
    api,
    store,
    locale: () => locale,
    onListChange: refresh,
    onRefused(text) {
      if (view.composer.draft === "") view.composer.draft = text;
    },
  });
  const conversations = createConversations(api, store, runs);
  const actions: ChatActions = {
    send(text) {
      if (goingTurn(store.state) !== undefined) return false;
      runs.ask(text);
      return true;
    },
    stop: stopGoing,
    async reply(key, question, reply) {
      const isTaken = await attempt(runs.reply(key, question, reply));
      if (isTaken) view.composer.focus();
      return isTaken;
    },
    loadSteps: (key) => runs.loadSteps(key),
    chooseMode: (mode) => leave((chat) => chooseMode(chat, mode)),
    chooseSearch: (isOn) => store.change((chat) => chooseSearch(chat, isOn)),
    chooseModel: (role, name) => leave((chat) => chooseModel(chat, role, name)),
    chooseParameter: (role, name, value) => store.change((chat) => chooseParameter(chat, role, name, value, locale)),
    chooseLocale(chosen) {
      locale = chosen;
      renew();
      keep(store.state);
      document.querySelector<HTMLElement>("#language")?.focus();
    },
    newChat() {
      store.change(startAnew);
      view.composer.focus();
    },
    open(id) {
      void attempt(conversations.open(id));
      view.composer.focus();
    },
    remove: (id) => void attempt(conversations.remove(id)),
    more: () => void attempt(conversations.more()),
  };

  let view: ChatView = createChatView(locale, actions);
  let signIn: SignIn = makeSignIn();
  renew();
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || event.isComposing || document.querySelector("dialog[open]") !== null) return;
    if (view.close() || stopGoing()) event.preventDefault();
  });
  window.addEventListener("focus", refresh);
  await attempt(begin());
  hasBegun = true;
  keep(store.state);

  /** What the tab showed before it was loaded again is found again, and what goes on is followed. */
  async function begin(): Promise<void> {
    const settings = await api.settings();
    store.change((chat) => {
      const { mode = settings.mode, search = settings.search.enabled } = kept.choices;
      return { ...chat, settings, choices: { ...chat.choices, mode, search } };
    });
    const { conversationId, run } = kept;
    if (conversationId !== undefined) await conversations.open(conversationId).catch(forgetMissing);
    if (run !== undefined) runs.resume(run.id, run.question, conversationId);
    await conversations.refresh();
    view.composer.focus();
  }

  /** A list that is a little old is no trouble to anybody. */
  function refresh(): void {
    conversations.refresh().catch(() => {});
  }

  /** What another tab has deleted is not found again; that is nothing to be told. */
  function forgetMissing(thrown: unknown): void {
    if (!(thrown instanceof Refused) || thrown.status !== 404) throw thrown;
  }

  /** Leaves a conversation behind; a run that goes on in it has nobody any more who waits for it. */
  function leave(change: (chat: ChatState) => ChatState): void {
    const before = store.state;
    const going = goingTurn(before);
    store.change(change);
    if (going !== undefined && store.state.items !== before.items) runs.stop(going.key).catch(() => {});
  }

  function stopGoing(): boolean {
    const going = goingTurn(store.state);
    if (going === undefined) return false;
    void attempt(runs.stop(going.key), say(locale, chatTexts.notStopped));
    return true;
  }

  /** In another language, all is another; so it is made anew. */
  function renew(): void {
    const draft = view.composer.draft;
    const asks = signIn.element.open;
    view = createChatView(locale, actions);
    signIn = makeSignIn();
    document.documentElement.lang = locale === "zh" ? "zh-CN" : "en";
    document.body.replaceChildren(view.element, signIn.element);
    view.composer.draft = draft;
    view.show(store.state);
    if (asks) signIn.ask(false);
  }

  function makeSignIn(): SignIn {
    return createSignIn(locale, (token) => {
      keeper.keepToken(token);
      const waiting = signedIn;
      signedIn = [];
      for (const go of waiting) go();
    });
  }

  function keep({ choices, conversationId, items, turns }: ChatState): void {
    if (!hasBegun) return;
    const going = goingTurn({ ...store.state, items, turns });
    const id = going?.run.runId;
    const run = going === undefined || id === undefined ? undefined : { id, question: going.run.question };
    const now = JSON.stringify([locale, choices, conversationId, run]);
    if (now !== keptNow) keeper.keepChat({ locale, choices, conversationId, run });
    keptNow = now;
  }

  /** Says what went wrong, and gives whether all went well. */
  async function attempt(work: Promise<void>, prefix = ""): Promise<boolean> {
    try {
      await work;
      return true;
    } catch (thrown) {
      const reason = thrown instanceof Error ? thrown.message : String(thrown);
      const where = thrown instanceof Refused ? prefix : prefix || say(locale, chatTexts.notReached);
      store.change((chat) => ({ ...chat, problem: where + reason }));
      return false;
    }
  }
}
