import { type Locale, say } from "../../../../kit/locale.ts";
import { modeNames } from "../../../../render/mode-names.ts";
import { createButton, createElement, type Part, setShown, setText } from "../../dom.ts";
import { toView } from "../../run/to-view.ts";
import { renderStatus } from "../../texts.ts";
import type { Account } from "../api/account.ts";
import type { ChatState } from "../state/chat-state.ts";
import { chatTexts, describeSignIn } from "../state/chat-texts.ts";
import { getTalkTitle } from "../state/side-entries.ts";
import type { Drafts } from "../storage/drafts.ts";
import type { ChatActions } from "./chat-actions.ts";
import { type ComposerPart, createComposer } from "./composer-part.ts";
import { createSidePart } from "./side-part.ts";
import { createTalkPart } from "./talk-part.ts";

/** Shows the whole page in one language at a time. */
export interface Screen {
  readonly locale: Locale;
  /** Holds the text that has not been sent yet. */
  draft: string;
  show(chat: ChatState): void;
  /** Puts the focus where one writes. */
  focus(): void;
  /** Closes what is open above the talk; false where nothing is. */
  close(): boolean;
  askToken(isWrong: boolean): void;
  /** Rebuilds the page, because every text changes with the language. */
  setLocale(locale: Locale, chat: ChatState): void;
}

export interface ScreenOptions {
  readonly document: Document;
  readonly locale: Locale;
  readonly actions: ChatActions;
  readonly drafts: Drafts;
  onToken(token: string): void;
  /** Runs before the browser goes to the provider that signs people in. */
  onLeave(): void;
}

export function createScreen({ document, locale: first, actions, drafts, onToken, onLeave }: ScreenOptions): Screen {
  let locale = first;
  let view = createChatView(locale, actions, drafts);
  let signIn = createSignIn(locale, onToken, onLeave);

  function mount(): void {
    document.documentElement.lang = locale === "zh" ? "zh-CN" : "en";
    document.body.replaceChildren(view.element, signIn.element);
  }

  mount();
  return {
    get locale() {
      return locale;
    },
    get draft() {
      return view.composer.draft;
    },
    set draft(text) {
      view.composer.draft = text;
    },
    show(chat) {
      view.show(chat);
      signIn.show(chat.account);
    },
    focus: () => view.composer.focus(),
    close: () => view.close(),
    askToken: (isWrong) => signIn.ask(isWrong),
    setLocale(chosen, chat) {
      const { draft } = view.composer;
      const asks = signIn.element.open;
      locale = chosen;
      view = createChatView(locale, actions, drafts);
      signIn = createSignIn(locale, onToken, onLeave);
      mount();
      view.composer.draft = draft;
      this.show(chat);
      if (asks) signIn.ask(false);
    },
  };
}

export interface SignIn {
  readonly element: HTMLDialogElement;
  show(account: Account | undefined): void;
  /** Asks for the token until one has been given. */
  ask(isWrong: boolean): void;
}

/** Asks for the token of a server that wants one. There is nothing to go on with without it, so it does not close. */
function createSignIn(locale: Locale, onToken: (token: string) => void, onLeave: () => void): SignIn {
  const title = createElement("h2", { id: "sign-in-title" }, say(locale, chatTexts.signIn));
  const why = createElement("p", { class: "hint" }, say(locale, chatTexts.signInWhy));
  const token = createElement("input", { type: "password", id: "token", autocomplete: "off", required: "" });
  const label = createElement(
    "label",
    { class: "field" },
    createElement("span", {}, say(locale, chatTexts.token)),
    token,
  );
  const problem = createElement("p", { class: "problem", role: "alert" });
  const go = createElement("button", { type: "submit", class: "primary" }, say(locale, chatTexts.signIn));
  const provider = createElement("a", { class: "provider", hidden: "" });
  provider.addEventListener("click", () => {
    const { pathname, search, hash } = window.location;
    provider.href = `/signin/start?${new URLSearchParams({ to: pathname + search + hash })}`;
    onLeave();
  });
  const acts = createElement("div", { class: "actions" }, go);
  const form = createElement("form", {}, title, provider, why, label, problem, acts);
  const dialog = createElement("dialog", { class: "sign-in", "aria-labelledby": "sign-in-title" }, form);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const given = token.value.trim();
    if (given === "") return;
    token.value = "";
    dialog.close();
    onToken(given);
  });
  dialog.addEventListener("cancel", (event) => event.preventDefault());
  return {
    element: dialog,
    show(account) {
      if (account?.provider === undefined) return;
      provider.href = "/signin/start";
      setText(provider, say(locale, describeSignIn(account.provider)));
      setShown(provider, true);
    },
    ask(isWrong) {
      setText(problem, isWrong ? say(locale, chatTexts.wrongToken) : "");
      if (!dialog.open) dialog.showModal();
      token.focus();
    },
  };
}

export interface ChatView extends Part<ChatState> {
  readonly composer: ComposerPart;
  /** Closes what is open above the talk; false where nothing is. */
  close(): boolean;
}

function createChatView(locale: Locale, actions: ChatActions, drafts: Drafts): ChatView {
  const app = createElement("div", { class: "app", "data-drawer": "closed" });
  const isOpen = (): boolean => app.dataset.drawer === "open";
  const openSide = createButton("☰", () => setDrawer(!isOpen()), "open-drawer");
  openSide.setAttribute("aria-label", say(locale, chatTexts.openSide));
  openSide.setAttribute("aria-controls", "side");
  const setDrawer = (shows: boolean): void => {
    if (isOpen() === shows) return;
    app.dataset.drawer = shows ? "open" : "closed";
    openSide.setAttribute("aria-expanded", String(shows));
    if (shows) side.element.querySelector("button")?.focus();
    else openSide.focus();
  };
  openSide.setAttribute("aria-expanded", "false");
  const side = createSidePart({ locale, actions, close: () => setDrawer(false) });
  const talk = createTalkPart(locale, actions);
  const composer = createComposer(locale, actions, drafts);
  const title = createElement("h1", { dir: "auto" });
  const mode = createElement("span", { class: "mode-now" });
  const connection = createElement("p", { class: "connection", role: "status" });
  const problem = createElement("p", { class: "problem", role: "alert" });
  const heard = createElement("p", { class: "visually-hidden", role: "status", "aria-live": "polite" });
  const scrim = createElement("div", { class: "scrim" });
  scrim.addEventListener("click", () => setDrawer(false));
  const skip = createElement("a", { class: "skip", href: "#message" }, say(locale, chatTexts.skip));
  skip.addEventListener("click", (event) => {
    event.preventDefault();
    composer.focus();
  });
  const top = createElement("header", { class: "top" }, openSide, title, mode);
  const main = createElement("div", { class: "main" }, top, connection, talk.element, problem, heard, composer.element);
  app.append(skip, side.element, scrim, main);
  return {
    element: app,
    composer,
    close() {
      const wasOpen = isOpen();
      setDrawer(false);
      return wasOpen || composer.close();
    },
    show(chat) {
      side.show(chat);
      setText(title, getTalkTitle(chat) || say(locale, chatTexts.newChat));
      setText(mode, say(locale, modeNames[chat.choices.mode]));
      mode.dataset.mode = chat.choices.mode;
      setText(connection, chat.isLost ? say(locale, chatTexts.lost) : "");
      setShown(connection, chat.isLost);
      setText(problem, chat.problem);
      setShown(problem, chat.problem !== "");
      talk.show(chat);
      setText(heard, renderLastStatus(chat, locale));
      composer.show(chat);
    },
  };
}

/** Returns the text for screen readers: the status of the last run, or the latest change after it. */
function renderLastStatus({ items, turns }: ChatState, locale: Locale): string {
  const item = items.at(-1);
  if (item === undefined) return "";
  if (item.kind === "note") return say(locale, item.text);
  const turn = turns[item.key];
  return turn === undefined ? "" : renderStatus(toView(turn.run), locale);
}
