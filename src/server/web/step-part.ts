import { type Locale, say, type Text } from "../../kit/locale.ts";
import { createSanitizer, sanitize } from "../../kit/text/sanitize.ts";
import { renderSeconds } from "../../render/event-lines.ts";
import { renderDollars } from "../../render/known-cost.ts";
import { createCall } from "./call-part.ts";
import { createClock } from "./clock.ts";
import { createElement, createList, type Part, setShown, setText } from "./dom.ts";
import { createFold } from "./fold.ts";
import type { OpenLink } from "./link.ts";
import type { NoticeItem, RunView, StepItem, StepView } from "./run/run-view.ts";
import { renderStepTitle, texts } from "./texts.ts";

export interface ShownStep {
  readonly step: StepView;
  /** Whether the run is at it, and it has not come to its answer. */
  readonly isNow: boolean;
}

export function listShownSteps({ steps, status }: Pick<RunView, "steps" | "status">): ShownStep[] {
  const isGoing = status === "running" || status === "waiting" || status === "needs_confirmation";
  return steps.map((step, index) => ({ step, isNow: isGoing && index === steps.length - 1 && !step.hasWritten }));
}

/** One turn of a model and what came of it: open while the run is at it, folded behind it. */
export function createStepPart(locale: Locale, openLink: OpenLink | undefined): Part<ShownStep> {
  const title = createElement("span", { class: "title" });
  const facts = createElement("span", { class: "facts" });
  const reason = createElement("p", { class: "reason", dir: "auto" });
  const reasoning = createThinking(locale);
  const thought = createWriting(locale, texts.thought);
  const items = createElement("ul");
  const showItems = createList(items, () => createItem(locale, openLink));
  const fold = createFold([title, " ", facts], [reason, reasoning.element, thought.element, items]);
  const clock = createClock(facts);
  let before: ShownStep | undefined;
  return {
    element: createElement("li", { class: "step" }, fold.element),
    show({ step, isNow }) {
      if (before?.step === step && before.isNow === isNow) return;
      before = { step, isNow };
      setText(title, say(locale, renderStepTitle(step)));
      setText(facts, factsOf(step));
      clock.run(isNow && step.end === undefined);
      fold.element.dataset.failed = String(step.end?.isFailed === true);
      setText(reason, sanitize(step.reason));
      setShown(reason, step.reason !== "");
      reasoning.show({ text: step.reasoning, isNow: isNow && step.end === undefined && step.thought === "" });
      thought.show(step.thought);
      showItems(step.items);
      setShown(items, step.items.length > 0);
      fold.open(isNow);
    },
  };
}

/** What a tool or the run has to say besides. */
export function createNotice(name: "li" | "p"): Part<Pick<NoticeItem, "level" | "message">> {
  const notice = createElement(name, { class: "notice", dir: "auto" });
  return {
    element: notice,
    show({ level, message }) {
      setText(notice, `${level === "warning" ? "⚠" : "ℹ"} ${sanitize(message)}`);
      notice.dataset.level = level;
    },
  };
}

function factsOf({ model, end }: StepView): string {
  if (end === undefined) return model;
  const cost = end.costUsd === null ? undefined : renderDollars(end.costUsd);
  return [model, `${end.inputTokens} → ${end.outputTokens}`, renderSeconds(end.elapsedMs), cost]
    .filter(Boolean)
    .join(" · ");
}

function createWriting(locale: Locale, title: Text): Part<string> {
  const words = createGrowing();
  const whole = createElement("div", { class: "writing" }, createElement("h3", {}, say(locale, title)), words.element);
  return {
    element: whole,
    show(text) {
      words.show(text);
      setShown(whole, text !== "");
    },
  };
}

/** What a model thinks before it speaks: open while it does, folded once when it is done (model-invocation.md, "思考内容自动折叠"). */
function createThinking(locale: Locale): Part<{ readonly text: string; readonly isNow: boolean }> {
  const title = createElement("span", { class: "title" });
  const words = createGrowing();
  const fold = createFold([title], [words.element]);
  fold.element.classList.add("thinking");
  return {
    element: fold.element,
    show({ text, isNow }) {
      setShown(fold.element, text !== "");
      setText(title, say(locale, isNow ? texts.thinking : texts.reasoning));
      words.show(text);
      if (text !== "") fold.open(isNow);
    },
  };
}

/** A text that grows at its end: what stands there is not touched again. */
function createGrowing(): Part<string> {
  const words = createElement("p", { class: "words", dir: "auto" });
  let before = "";
  let stream = createSanitizer();
  return {
    element: words,
    show(text) {
      if (text === before) return;
      if (!text.startsWith(before)) {
        before = "";
        stream = createSanitizer();
        words.replaceChildren();
      }
      words.append(stream.push(text.slice(before.length)));
      before = text;
    },
  };
}

/** What an entry is never changes, so its part is made at its first showing. */
function createItem(locale: Locale, openLink: OpenLink | undefined): Part<StepItem> {
  const item = createElement("li");
  const call = createCall(locale, openLink);
  const notice = createNotice("p");
  const evaluation = createElement("p", { class: "evaluation", dir: "auto" });
  return {
    element: item,
    show(value) {
      if (value.kind === "call") call.show(value);
      if (value.kind === "notice") notice.show(value);
      if (value.kind === "evaluation") setText(evaluation, `⚖ ${sanitize(value.message)}`);
      const shown = { call: call.element, notice: notice.element, evaluation }[value.kind];
      if (item.firstChild !== shown) item.replaceChildren(shown);
    },
  };
}
