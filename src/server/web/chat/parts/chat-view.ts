import { type Locale, say } from "../../../../kit/locale.ts";
import { modeNames } from "../../../../render/mode-names.ts";
import { createElement, type Part, setShown, setText } from "../../dom.ts";
import { toView } from "../../run/to-view.ts";
import { renderStatus } from "../../texts.ts";
import type { ChatState } from "../state/chat-state.ts";
import { chatTexts } from "../state/chat-texts.ts";
import { getTalkTitle } from "../state/talk-title.ts";
import type { Drafts } from "../storage/drafts.ts";
import { createButton } from "./ask-part.ts";
import type { ChatActions } from "./chat-actions.ts";
import { type ComposerPart, createComposer } from "./composer-part.ts";
import { createSide } from "./side-part.ts";
import { createTalk } from "./talk-part.ts";

export interface ChatView extends Part<ChatState> {
  readonly composer: ComposerPart;
  /** Closes what is open above the talk; false where nothing is. */
  close(): boolean;
}

/** The whole page in one language. */
export function createChatView(locale: Locale, actions: ChatActions, drafts: Drafts): ChatView {
  const app = createElement("div", { class: "app", "data-drawer": "closed" });
  const isOpen = (): boolean => app.dataset.drawer === "open";
  const openSide = createButton("☰", () => drawer(!isOpen()), "open-drawer");
  openSide.setAttribute("aria-label", say(locale, chatTexts.openSide));
  openSide.setAttribute("aria-controls", "side");
  const drawer = (shows: boolean): void => {
    if (isOpen() === shows) return;
    app.dataset.drawer = shows ? "open" : "closed";
    openSide.setAttribute("aria-expanded", String(shows));
    if (shows) side.element.querySelector("button")?.focus();
    else openSide.focus();
  };
  openSide.setAttribute("aria-expanded", "false");
  const side = createSide({ locale, actions, close: () => drawer(false) });
  const talk = createTalk(locale, actions);
  const composer = createComposer(locale, actions, drafts);
  const title = createElement("h1", { dir: "auto" });
  const mode = createElement("span", { class: "mode-now" });
  const connection = createElement("p", { class: "connection", role: "status" });
  const problem = createElement("p", { class: "problem", role: "alert" });
  const heard = createElement("p", { class: "visually-hidden", role: "status", "aria-live": "polite" });
  const scrim = createElement("div", { class: "scrim" });
  scrim.addEventListener("click", () => drawer(false));
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
      drawer(false);
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
      setText(heard, saidLast(chat, locale));
      composer.show(chat);
    },
  };
}

/** What a screen reader is told: how the last run stands, or what was changed since. */
function saidLast({ items, turns }: ChatState, locale: Locale): string {
  const item = items.at(-1);
  if (item === undefined) return "";
  if (item.kind === "note") return say(locale, item.text);
  const turn = turns[item.key];
  return turn === undefined ? "" : renderStatus(toView(turn.run), locale);
}
