import { useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { type Locale, say as sayIn } from "../../../../../kit/locale.ts";
import { sanitize } from "../../../../../kit/text/sanitize.ts";
import { replaceChatAdvice } from "../../../../../render/chat-advice.ts";
import { renderSeconds } from "../../../../../render/event-lines.ts";
import { addCosts, noCost, renderShortCost } from "../../../../../render/known-cost.ts";
import { createAnswerPart } from "../../../answer-part.ts";
import { createBillPart, toPhaseCost } from "../../../bill-part.ts";
import { createElement, createList, createPlanStep, createSection, type Part, setShown } from "../../../dom.ts";
import type { PhaseBill, RunView } from "../../../run/run-view.ts";
import { toView } from "../../../run/to-view.ts";
import { createNotice, createStepList } from "../../../step-part.ts";
import { renderStatus, texts } from "../../../texts.ts";
import { createLongResult } from "../../long-result.ts";
import type { Turn } from "../../state/chat-state.ts";
import { chatTexts } from "../../state/chat-texts.ts";
import { Icon } from "../controls/icon.tsx";
import { usePage, useSay } from "../page-model.ts";
import { AfterRun } from "./after-run.tsx";
import { AnswerActions } from "./answer-actions.tsx";
import { Ask } from "./ask.tsx";
import { PartView } from "./part-view.tsx";
import { Question } from "./question.tsx";
import { SaidMessages } from "./said-messages.tsx";

export interface TurnProps {
  readonly turn: Turn;
  readonly isNewest: boolean;
}

/** Shows a question and, below it, everything its run does and says. */
export function TurnView({ turn, isNewest }: TurnProps) {
  const { locale, parts, actions } = usePage();
  const say = useSay();
  const now = locale.value;
  const view = useMemo(() => toView(turn.run), [turn.run]);
  const shownSteps = useMemo(() => ({ view, isNewest }), [view, isNewest]);
  const { status } = view;
  const isOver = status !== "running" && status !== "needs_confirmation" && status !== "waiting";
  const createSteps = (made: Locale) =>
    createStepList(made, { createResult: (title) => createLongResult(made, title, parts.loadResult) });
  const run = useRef<HTMLDivElement>(null);
  /** Is true from when the person asked for the steps until they are in sight. */
  const isWanted = useRef(false);
  useLayoutEffect(() => {
    if (!isWanted.current || view.steps.length === 0) return;
    isWanted.current = false;
    const list = run.current?.querySelector<HTMLElement>(".step-list > summary");
    list?.focus({ preventScroll: true });
    list?.scrollIntoView({ block: "nearest" });
  }, [view]);
  const problem = [view.problem?.message, replaceChatAdvice(view.problem?.hint ?? "", now)].filter(Boolean).join("\n");
  return (
    <li class="turn" data-status={status} data-key={turn.key}>
      <h2 class="visually-hidden">{say(chatTexts.yourQuestion)}</h2>
      <Question turn={turn} />
      <div class="run" data-status={status} ref={run}>
        <div class="bar" hidden={status === "ended"}>
          <p class="status" data-status={status}>
            {renderStatus(view, now)}
          </p>
        </div>
        <PartView create={createBefore} value={view} />
        {turn.keptRunId !== undefined && (
          <button
            type="button"
            class="load-steps"
            onClick={() => {
              isWanted.current = true;
              actions.loadSteps(turn.key);
            }}
          >
            <Icon name="right" />
            {say(chatTexts.loadSteps)}
          </button>
        )}
        <PartView create={createSteps} value={shownSteps} />
        <SaidMessages turn={turn} view={view} />
        {turn.question && <Ask key={turn.question.id} turnKey={turn.key} question={turn.question} />}
        <PartView create={(made) => createAnswerPart(made, undefined, parts)} value={view} />
        <div class="problem" role="alert" hidden={problem === ""}>
          {sanitize(problem)}
        </div>
        <AfterRun turn={turn} />
        <div class="after">
          {isOver && view.answer !== "" && <AnswerActions turn={turn} view={view} />}
          {view.bill.length > 0 && turn.run.outcome !== undefined && <Bill view={view} />}
        </div>
      </div>
    </li>
  );
}

/** Shows what comes before the steps: notices, and the plan. */
function createBefore(locale: Locale): Part<RunView> {
  const notices = createElement("ul", { class: "notices" });
  const planList = createElement("ol");
  const plan = createSection("plan", sayIn(locale, texts.plan), planList);
  const showNotices = createList(notices, () => createNotice("li"));
  const showPlan = createList(planList, () => createPlanStep(locale));
  return {
    element: createElement("div", { class: "part" }, notices, plan),
    show(view) {
      showNotices(view.notices);
      setShown(notices, view.notices.length > 0);
      showPlan(view.plan);
      setShown(plan, view.plan.length > 0);
    },
  };
}

function Bill({ view }: { readonly view: RunView }) {
  const { locale } = usePage();
  const fold = useRef<HTMLDetailsElement>(null);
  return (
    <details class="fold-bill" ref={fold}>
      <summary>{renderBill(view.bill, locale.value)}</summary>
      <PartView create={createBillPart} value={view} />
    </details>
  );
}

function renderBill(bill: readonly PhaseBill[], locale: Locale): string {
  const sum = (value: (phase: PhaseBill) => number): number => bill.reduce((all, phase) => all + value(phase), 0);
  const tokens = sum(({ inputTokens, outputTokens }) => inputTokens + outputTokens);
  const cost = renderShortCost(bill.map(toPhaseCost).reduce(addCosts, noCost), locale) ?? [];
  const time = renderSeconds(sum(({ elapsedMs }) => elapsedMs));
  return [sayIn(locale, texts.bill), `${tokens} tok`, time, cost].flat().join(" · ");
}
