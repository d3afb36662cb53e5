import { type Locale, say } from "../../../../kit/locale.ts";
import { modeHelp, modeNames, modes } from "../../../../render/mode-names.ts";
import { createElement, createList, type Part, setShown, setText } from "../../dom.ts";
import type { ChatState, TalkItem } from "../state/chat-state.ts";
import { chatTexts } from "../state/chat-texts.ts";
import { createButton } from "./ask-part.ts";
import type { ChatActions } from "./chat-actions.ts";
import { createKeyedList } from "./keyed-list.ts";
import { createTurnPart, type ShownTurn } from "./turn-part.ts";

/** So near to the end, in CSS pixels, a reader follows what is written. */
const nearEnd = 80;

/** What was asked and answered; it stays at its end as long as the reader does. */
export function createTalk(locale: Locale, actions: ChatActions): Part<ChatState> {
  const welcome = createWelcome(locale, actions);
  const list = createElement("ol", { class: "turns" });
  const toEnd = createButton(say(locale, chatTexts.toEnd), () => goToEnd(), "to-end");
  const talk = createElement(
    "main",
    { class: "talk", id: "talk", tabindex: "-1", "aria-label": say(locale, chatTexts.talk) },
    welcome.element,
    list,
    toEnd,
  );
  const showItems = createKeyedList<ShownItem>(list, (item) => createItem(locale, actions, item));
  let isAtEnd = true;
  let last: string | undefined;
  let isEmpty = true;
  let before: Pick<ChatState, "items" | "turns"> | undefined;

  const measure = (): void => {
    isAtEnd = talk.scrollHeight - talk.scrollTop - talk.clientHeight < nearEnd;
    setShown(toEnd, !isAtEnd && !isEmpty);
  };
  const goToEnd = (): void => {
    talk.scrollTop = talk.scrollHeight;
    measure();
  };
  talk.addEventListener("scroll", measure, { passive: true });
  // A field that grows, or a keyboard on the screen, leaves less room.
  new ResizeObserver(() => (isAtEnd && !isEmpty ? goToEnd() : measure())).observe(talk);
  setShown(toEnd, false);
  return {
    element: talk,
    show(chat) {
      welcome.show(chat);
      if (chat.items === before?.items && chat.turns === before.turns) return;
      before = chat;
      const newest = chat.items.findLast(({ kind }) => kind === "turn")?.key;
      showItems(chat.items.flatMap((item) => shownItem(item, chat, newest)));
      const isNew = chat.items.at(-1)?.key !== last;
      last = chat.items.at(-1)?.key;
      isEmpty = chat.items.length === 0;
      if (isEmpty) talk.scrollTop = 0;
      if (!isEmpty && (isNew || isAtEnd)) goToEnd();
      else measure();
    },
  };
}

interface ShownItem {
  readonly key: string;
  readonly item: TalkItem;
  readonly turn: ShownTurn | undefined;
}

function shownItem(item: TalkItem, { turns }: ChatState, newest: string | undefined): ShownItem[] {
  if (item.kind === "note") return [{ key: item.key, item, turn: undefined }];
  const turn = turns[item.key];
  return turn === undefined ? [] : [{ key: item.key, item, turn: { turn, isNewest: item.key === newest } }];
}

function createItem(locale: Locale, actions: ChatActions, { key, item }: ShownItem): Part<ShownItem> {
  if (item.kind === "note") {
    const note = createElement("li", { class: "note" }, say(locale, item.text));
    return { element: note, show: () => {} };
  }
  const turn = createTurnPart(locale, actions, key);
  return {
    element: turn.element,
    show: ({ turn: value }) => {
      if (value !== undefined) turn.show(value);
    },
  };
}

/** Before the first question: in which mode one is, and what the others are (model-invocation.md, "默认模式配置", "模式说明"). */
function createWelcome(locale: Locale, actions: ChatActions): Part<ChatState> {
  const now = createElement("p", { class: "hint" });
  const cards = createElement("ul", { class: "modes" });
  const showCards = createList(cards, () => createCard(locale, actions));
  const title = createElement("h2", {}, say(locale, chatTexts.welcome));
  const whole = createElement("section", { class: "welcome" }, title, now, cards);
  return {
    element: whole,
    show({ items, choices, conversationId }) {
      const isEmpty = conversationId === undefined && items.every(({ kind }) => kind === "note");
      setShown(whole, isEmpty);
      setText(now, `Duet · ${say(locale, chatTexts.nowIn)}${say(locale, modeNames[choices.mode])}`);
      showCards(modes.map((mode) => ({ mode, isChosen: mode === choices.mode })));
    },
  };
}

interface Card {
  readonly mode: ChatState["choices"]["mode"];
  readonly isChosen: boolean;
}

function createCard(locale: Locale, actions: ChatActions): Part<Card> {
  const name = createElement("strong");
  const help = createElement("span", { class: "hint" });
  let mode: Card["mode"] = "agent";
  const choose = createButton("", () => actions.chooseMode(mode), "choose-mode");
  choose.append(name, " ", help);
  return {
    element: createElement("li", {}, choose),
    show(card) {
      mode = card.mode;
      setText(name, say(locale, modeNames[mode]));
      setText(help, say(locale, modeHelp[mode]));
      choose.setAttribute("aria-pressed", String(card.isChosen));
    },
  };
}
