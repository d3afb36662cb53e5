import { type Locale, say } from "../../../../kit/locale.ts";
import { sanitize } from "../../../../kit/text/sanitize.ts";
import { chatAdvice } from "../../../../render/chat-advice.ts";
import { renderSeconds } from "../../../../render/event-lines.ts";
import { renderDollars } from "../../../../render/known-cost.ts";
import { createAnswer } from "../../answer-part.ts";
import { createBillPart } from "../../bill-part.ts";
import { createElement, createList, createSection, type Part, setShown, setText } from "../../dom.ts";
import { createCopyButton } from "../../markdown/copy-button.ts";
import { createPlanStep } from "../../plan-part.ts";
import type { PhaseBill } from "../../run/run-view.ts";
import { createStepList } from "../../run/step-list.ts";
import { toView } from "../../run/to-view.ts";
import { createNotice } from "../../step-part.ts";
import { renderStatus, texts } from "../../texts.ts";
import type { Turn } from "../state/chat-state.ts";
import { chatTexts } from "../state/chat-texts.ts";
import { createAfter } from "./after-part.ts";
import { createAsk, createButton } from "./ask-part.ts";
import type { ChatActions } from "./chat-actions.ts";
import { createQuestion } from "./question-part.ts";

export interface ShownTurn {
  readonly turn: Turn;
  /** Whether no later question stands below it. */
  readonly isNewest: boolean;
}

/** A question and, under it, all that its run does and says. */
export function createTurnPart(locale: Locale, actions: ChatActions, key: string): Part<ShownTurn> {
  const question = createQuestion(locale);
  const status = createElement("p", { class: "status" });
  const notices = createElement("ul", { class: "notices" });
  const planList = createElement("ol");
  const plan = createSection("plan", say(locale, texts.plan), planList);
  const steps = createStepList(locale, undefined);
  const problem = createElement("div", { class: "problem", role: "alert", hidden: "" });
  const after = createAfter(locale, actions);
  const answer = createAnswer(locale, undefined);
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
      const told = [view.problem?.message, withoutAdvice(view.problem?.hint ?? "", locale)].filter(Boolean).join("\n");
      setText(problem, sanitize(told));
      setShown(problem, told !== "");
      bill.show(view);
      setText(billFacts, billLine(view.bill, locale));
      setShown(billFold, view.bill.length > 0 && turn.run.outcome !== undefined);
      setShown(load, turn.keptRunId !== undefined);
    },
  };
}

/** Without the advice for those who have no buttons. */
function withoutAdvice(hint: string, locale: Locale): string {
  const advice = say(locale, chatAdvice);
  return hint.endsWith(advice) ? hint.slice(0, -advice.length).trimEnd() : hint;
}

function billLine(bill: readonly PhaseBill[], locale: Locale): string {
  const sum = (value: (phase: PhaseBill) => number): number => bill.reduce((all, phase) => all + value(phase), 0);
  const tokens = sum(({ inputTokens, outputTokens }) => inputTokens + outputTokens);
  const isKnown = bill.every(({ costUsd }) => costUsd !== null);
  const cost = isKnown ? [renderDollars(sum(({ costUsd }) => costUsd ?? 0))] : [];
  return [say(locale, texts.bill), `${tokens} tok`, renderSeconds(sum(({ elapsedMs }) => elapsedMs)), ...cost].join(
    " · ",
  );
}
