import { toGoOnQuestion } from "../../../../core/go-on.ts";
import type { Outcome } from "../../../../core/outcome.ts";
import { type Locale, say } from "../../../../kit/locale.ts";
import { sanitize } from "../../../../kit/text/sanitize.ts";
import { chatAdvice } from "../../../../render/choice-texts.ts";
import { renderSeconds } from "../../../../render/event-lines.ts";
import { renderDollars } from "../../../../render/known-cost.ts";
import { modeHelp, modeNames, modes } from "../../../../render/mode-names.ts";
import { createAnswerPart } from "../../answer-part.ts";
import { createBillPart } from "../../bill-part.ts";
import {
  createButton,
  createElement,
  createList,
  createPlanStep,
  createSection,
  type Part,
  setShown,
  setText,
} from "../../dom.ts";
import { createCopyButton } from "../../markdown/inline.ts";
import type { PageRunState } from "../../run/page-run-state.ts";
import type { PhaseBill } from "../../run/run-view.ts";
import { toView } from "../../run/to-view.ts";
import { createNotice, createStepList } from "../../step-part.ts";
import { renderStatus, texts } from "../../texts.ts";
import type { ChatState, TalkItem, Turn } from "../state/chat-state.ts";
import { chatTexts } from "../state/chat-texts.ts";
import { createAsk } from "./ask-part.ts";
import type { ChatActions } from "./chat-actions.ts";
import { createKeyedList } from "./side-part.ts";

/** Within this distance from the end, in CSS pixels, the view follows new text. */
const nearEnd = 80;

/** Shows questions and answers. It stays scrolled to its end as long as the reader does. */
export function createTalkPart(locale: Locale, actions: ChatActions): Part<ChatState> {
  const welcome = createWelcome(locale, actions);
  const list = createElement("ol", { class: "turns" });
  const toEnd = createButton(say(locale, chatTexts.toEnd), () => scrollToEnd(), "to-end");
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
  const scrollToEnd = (): void => {
    talk.scrollTop = talk.scrollHeight;
    measure();
  };
  talk.addEventListener("scroll", measure, { passive: true });
  // A field that grows, or a keyboard on the screen, leaves less room.
  new ResizeObserver(() => (isAtEnd && !isEmpty ? scrollToEnd() : measure())).observe(talk);
  setShown(toEnd, false);
  return {
    element: talk,
    show(chat) {
      welcome.show(chat);
      if (chat.items === before?.items && chat.turns === before.turns) return;
      before = chat;
      const newest = chat.items.findLast(({ kind }) => kind === "turn")?.key;
      showItems(chat.items.flatMap((item) => toShownItems(item, chat, newest)));
      const isNew = chat.items.at(-1)?.key !== last;
      last = chat.items.at(-1)?.key;
      isEmpty = chat.items.length === 0;
      if (isEmpty) talk.scrollTop = 0;
      if (!isEmpty && (isNew || isAtEnd)) scrollToEnd();
      else measure();
    },
  };
}

interface ShownItem {
  readonly key: string;
  readonly item: TalkItem;
  readonly turn: ShownTurn | undefined;
}

function toShownItems(item: TalkItem, { turns }: ChatState, newest: string | undefined): ShownItem[] {
  if (item.kind === "note") return [{ key: item.key, item, turn: undefined }];
  const turn = turns[item.key];
  return turn === undefined ? [] : [{ key: item.key, item, turn: { turn, isNewest: item.key === newest } }];
}

function createItem(locale: Locale, actions: ChatActions, { key, item }: ShownItem): Part<ShownItem> {
  if (item.kind === "note") {
    const note = createElement("li", { class: "note" }, say(locale, item.text));
    const { left } = item;
    if (left)
      note.append(
        " ",
        createButton(say(locale, chatTexts.keep), () => actions.open(left, true)),
      );
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

/**
 * Before the first question, shows the current mode and explains the others (docs/development/model-invocation.md#默认模式配置,
 * docs/development/model-invocation.md#模式说明).
 */
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

interface ShownTurn {
  readonly turn: Turn;
  readonly isNewest: boolean;
}

/** Shows a question and, below it, everything its run does and says. */
export function createTurnPart(locale: Locale, actions: ChatActions, key: string): Part<ShownTurn> {
  const question = createQuestion(locale);
  const status = createElement("p", { class: "status" });
  const notices = createElement("ul", { class: "notices" });
  const planList = createElement("ol");
  const plan = createSection("plan", say(locale, texts.plan), planList);
  const steps = createStepList(locale, undefined);
  const problem = createElement("div", { class: "problem", role: "alert", hidden: "" });
  const after = createAfter(locale, actions);
  const answer = createAnswerPart(locale, undefined);
  let written = "";
  const copy = createElement("div", { class: "copying", hidden: "" }, ...createCopyButton(() => written, locale));
  const bill = createBillPart(locale);
  const billFacts = createElement("summary");
  const billFold = createElement("details", { class: "fold-bill", hidden: "" }, billFacts, bill.element);
  const load = createButton(say(locale, chatTexts.loadSteps), () => actions.loadSteps(key), "load-steps");
  const ask = createAsk(locale, (asked, reply) => actions.reply(key, asked, reply));
  const showNotices = createList(notices, () => createNotice("li"));
  const showPlan = createList(planList, () => createPlanStep(locale));

  const bar = createElement("div", { class: "bar" }, status);
  const doing = [bar, notices, plan, steps.element, ask.element];
  const said = [answer.element, copy, problem, after.element, billFold, load];
  const run = createElement("div", { class: "run" }, ...doing, ...said);
  const heading = createElement("h2", { class: "visually-hidden" }, say(locale, chatTexts.yourQuestion));
  let before: ShownTurn | undefined;
  return {
    element: createElement("li", { class: "turn" }, heading, question.element, run),
    show(shown) {
      const { turn, isNewest } = shown;
      if (turn === before?.turn && isNewest === before.isNewest) return;
      before = shown;
      const view = toView(turn.run);
      question.show(view.question);
      setText(status, renderStatus(view, locale));
      status.dataset.status = view.status;
      run.dataset.status = view.status;
      setShown(bar, view.status !== "ended");
      showNotices(view.notices);
      setShown(notices, view.notices.length > 0);
      showPlan(view.plan);
      setShown(plan, view.plan.length > 0);
      steps.show({ view, isNewest });
      ask.show(turn.question);
      answer.show(view);
      // With its sources, where they are known.
      written = turn.run.outcome?.response || view.answer;
      setShown(copy, view.answer !== "" && view.status !== "running" && view.status !== "needs_confirmation");
      after.show(turn.run);
      const reported = [view.problem?.message, removeAdvice(view.problem?.hint ?? "", locale)]
        .filter(Boolean)
        .join("\n");
      setText(problem, sanitize(reported));
      setShown(problem, reported !== "");
      bill.show(view);
      setText(billFacts, renderBill(view.bill, locale));
      setShown(billFold, view.bill.length > 0 && turn.run.outcome !== undefined);
      setShown(load, turn.keptRunId !== undefined);
    },
  };
}

/** Removes the advice that is meant for users without buttons. */
function removeAdvice(hint: string, locale: Locale): string {
  const advice = say(locale, chatAdvice);
  return hint.endsWith(advice) ? hint.slice(0, -advice.length).trimEnd() : hint;
}

function renderBill(bill: readonly PhaseBill[], locale: Locale): string {
  const sum = (value: (phase: PhaseBill) => number): number => bill.reduce((all, phase) => all + value(phase), 0);
  const tokens = sum(({ inputTokens, outputTokens }) => inputTokens + outputTokens);
  const isKnown = bill.every(({ costUsd }) => costUsd !== null);
  const cost = isKnown ? [renderDollars(sum(({ costUsd }) => costUsd ?? 0))] : [];
  return [say(locale, texts.bill), `${tokens} tok`, renderSeconds(sum(({ elapsedMs }) => elapsedMs)), ...cost].join(
    " · ",
  );
}

/** Longer texts are collapsed to their first lines; the limits are in characters and lines. */
const longText = 1200;
const manyLines = 16;

export function createQuestion(locale: Locale): Part<string> {
  const text = createElement("div", { class: "question", dir: "auto" });
  const fold = createButton("", () => show(text.dataset.folded !== "true"), "unfold");
  const show = (isFolded: boolean): void => {
    text.dataset.folded = String(isFolded);
    fold.setAttribute("aria-expanded", String(!isFolded));
    setText(fold, say(locale, isFolded ? chatTexts.showAll : chatTexts.showLess));
  };
  let before: string | undefined;
  return {
    element: createElement("div", { class: "asked" }, text, fold),
    show(question) {
      if (question === before) return;
      before = question;
      const isLong = question.length > longText || question.split("\n").length > manyLines;
      setText(text, sanitize(question));
      setShown(fold, isLong);
      show(isLong);
    },
  };
}

/** Offers to ask the same question again after a run that failed or was stopped. */
export function createAfter(locale: Locale, actions: ChatActions): Part<PageRunState> {
  let question = "";
  const again = createButton(say(locale, chatTexts.tryAgain), () => actions.askAgain(question));
  const inChat = createButton(say(locale, chatTexts.tryInChat), () => actions.askAgain(question, "chat"));
  const goOn = createButton(
    say(locale, chatTexts.goOn),
    () => actions.askAgain(toGoOnQuestion(question, locale), undefined, true),
    "go-on",
  );
  const words = createElement("span", {}, say(locale, chatTexts.chatAdvice));
  const whole = createElement("p", { class: "advice", hidden: "" }, words, " ", again, " ", inChat, goOn);
  return {
    element: whole,
    show({ question: asked, outcome, plain }) {
      question = asked;
      const isWithout = outcome === undefined ? plain?.isFailed === true : noAnswer.has(outcome.status);
      const isAdvised = outcome !== undefined && chatHelps(outcome);
      setShown(goOn, outcome?.limit !== undefined);
      setShown(whole, isWithout || outcome?.limit !== undefined);
      setShown(again, isWithout);
      setShown(words, isAdvised);
      setShown(inChat, isAdvised);
    },
  };
}

const noAnswer: ReadonlySet<Outcome["status"]> = new Set(["failed", "cancelled"]);

/**
 * After a run with tools that failed (docs/development/model-invocation.md#agent-模式错误降级): it is advised, and never switched by
 * itself.
 */
function chatHelps({ status, meta, error }: Outcome): boolean {
  return status === "failed" && meta.mode !== "chat" && !(error !== null && sharedCauses.has(error.code));
}

/** Chat mode asks the same models over the same network with the same keys, so it does not help after these. */
const sharedCauses: ReadonlySet<string> = new Set(["auth", "quota", "config", "network"]);
