import type { PlanStep } from "../../../core/run/events.ts";
import type { Locale } from "../../../kit/locale.ts";
import { toShortLine } from "../../../kit/text/sanitize.ts";
import {
  isSamePlan,
  planSigns,
  renderPlan,
  renderPlanTitle,
  toConsentSign,
  toPurpose,
} from "../../../render/plan-lines.ts";
import type { Screen } from "../../terminal/screen/screen-types.ts";
import { createLine, type Line, type Style } from "../../terminal/text/line.ts";
import { cutLine } from "../../terminal/text/wrap.ts";
import type { Scrollback } from "./scrollback.ts";
import type { StepLog } from "./step.ts";

/** A plan is shown in full once, for approval, and then as a checklist that stays on the screen after the run. */
export interface PlanView {
  handle(steps: readonly PlanStep[]): void;
  /** Leaves the checklist of a plan that was begun; once. */
  finish(): void;
  live(rows: number): Line[];
}

export interface PlanViewOptions {
  screen: Pick<Screen, "size">;
  scrollback: Scrollback;
  steps: StepLog;
  locale: Locale;
}

export function createPlanView({ screen, scrollback, steps: stepLog, locale }: PlanViewOptions): PlanView {
  let plan: readonly PlanStep[] = [];
  /** Is true when the checklist has been written to the finished lines, or has nothing to show yet. */
  let isTold = true;
  let drawn: { plan: readonly PlanStep[]; columns: number; lines: Line[] } | undefined;

  function finish(): void {
    if (isTold) return;
    isTold = true;
    scrollback.write(...renderChecklist());
  }

  function renderChecklist(): Line[] {
    const { columns } = screen.size;
    if (drawn?.plan === plan && drawn.columns === columns) return drawn.lines;
    drawn = { plan, columns, lines: draw(columns) };
    return drawn.lines;
  }

  function draw(columns: number): Line[] {
    const number = stepLog.findPlan()?.number;
    const title = renderPlanTitle(plan, locale) + (number === undefined ? "" : ` #${number}`);
    return [createLine(title, "strong"), ...plan.map(renderStep)].map((line) => cutLine(line, columns));
  }

  return {
    handle(steps) {
      if (!isSamePlan(steps, plan)) {
        finish();
        scrollback.write(
          ...renderPlan(steps, locale).map((line, index) => createLine(line, index === 0 ? "strong" : "dim")),
        );
      } else if (steps.some(({ state }, index) => state !== plan[index]?.state)) isTold = false;
      plan = steps;
      if (steps.every(({ state }) => state !== "pending" && state !== "running")) finish();
    },
    finish,
    live(rows) {
      if (isTold || rows < 2) return [];
      const [title = [], ...lines] = renderChecklist();
      const at = plan.findIndex(({ state }) => state === "running");
      const from = Math.max(0, Math.min(at - 1, lines.length - (rows - 1)));
      return [title, ...lines.slice(from, from + rows - 1)];
    },
  };
}

function renderStep(step: PlanStep): Line {
  const { state, tool } = step;
  const call = tool === "" ? "" : ` · ${toShortLine(tool, 80)}`;
  return [
    { text: `  ${planSigns[state]} `, styles: styles[state] },
    {
      text: `${step.step}. ${toConsentSign(step)}${toPurpose(step)}`,
      styles: state === "running" ? ["strong"] : ["dim"],
    },
    { text: call, styles: ["dim"] },
  ];
}

const styles: Record<PlanStep["state"], readonly Style[]> = {
  pending: ["dim"],
  running: ["accent"],
  done: ["good"],
  failed: ["bad"],
  skipped: ["dim"],
};
