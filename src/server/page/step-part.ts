import { dollars } from "../../core/known-cost.ts";
import { seconds } from "../../core/lines.ts";
import { type Locale, say, type Text } from "../../core/locale.ts";
import { printable } from "../../core/printable.ts";
import { createCall } from "./call-part.ts";
import { element, listOf, type Part, setShown, setText } from "./dom.ts";
import { foldOf } from "./fold.ts";
import type { OpenLink } from "./link.ts";
import type { NoticeItem, StepItem, StepView } from "./run-view.ts";
import { stepTitle, texts } from "./texts.ts";

/** One turn of a model and what came of it: open while it goes on, folded behind it. */
export function createStep(locale: Locale, openLink: OpenLink | undefined): Part<StepView> {
  const title = element("span", { class: "title" });
  const facts = element("span", { class: "facts" });
  const reason = element("p", { class: "reason", dir: "auto" });
  const reasoning = createWriting(locale, texts.reasoning);
  const thought = createWriting(locale, texts.thought);
  const items = element("ul");
  const showItems = listOf(items, () => createItem(locale, openLink));
  const fold = foldOf([title, " ", facts], [reason, reasoning.element, thought.element, items]);
  return {
    element: element("li", { class: "step" }, fold.element),
    show(step) {
      setText(title, say(locale, stepTitle(step)));
      setText(facts, factsOf(step));
      fold.element.dataset.failed = String(step.end?.isFailed === true);
      setText(reason, printable(step.reason));
      setShown(reason, step.reason !== "");
      reasoning.show(step.reasoning);
      thought.show(step.thought);
      showItems(step.items);
      setShown(items, step.items.length > 0);
      const isGoing = step.items.some((item) => item.kind === "call" && item.end === undefined);
      fold.open(isGoing || (step.end === undefined && step.phase !== undefined));
    },
  };
}

/** What a tool or the run has to say besides. */
export function createNotice(name: "li" | "p"): Part<Pick<NoticeItem, "level" | "message">> {
  const notice = element(name, { class: "notice", dir: "auto" });
  return {
    element: notice,
    show({ level, message }) {
      setText(notice, `${level === "warning" ? "⚠" : "ℹ"} ${printable(message)}`);
      notice.dataset.level = level;
    },
  };
}

function factsOf({ model, end }: StepView): string {
  if (end === undefined) return model;
  const cost = end.costUsd === null ? undefined : dollars(end.costUsd);
  return [model, `${end.inputTokens} → ${end.outputTokens}`, seconds(end.elapsedMs), cost].filter(Boolean).join(" · ");
}

function createWriting(locale: Locale, title: Text): Part<string> {
  const words = element("p", { class: "words", dir: "auto" });
  const whole = element("div", { class: "writing" }, element("h3", {}, say(locale, title)), words);
  return {
    element: whole,
    show(text) {
      setText(words, printable(text));
      setShown(whole, text !== "");
    },
  };
}

/** What an entry is never changes, so its part is made at its first showing. */
function createItem(locale: Locale, openLink: OpenLink | undefined): Part<StepItem> {
  const item = element("li");
  const call = createCall(locale, openLink);
  const notice = createNotice("p");
  const evaluation = element("p", { class: "evaluation", dir: "auto" });
  return {
    element: item,
    show(value) {
      if (value.kind === "call") call.show(value);
      if (value.kind === "notice") notice.show(value);
      if (value.kind === "evaluation") setText(evaluation, `⚖ ${printable(value.message)}`);
      const shown = { call: call.element, notice: notice.element, evaluation }[value.kind];
      if (item.firstChild !== shown) item.replaceChildren(shown);
    },
  };
}
