import { type Locale, say } from "../../../kit/locale.ts";
import type { ReplaceableLines } from "../../terminal/screen/live.ts";
import { createLine, type Line } from "../../terminal/text/line.ts";
import type { StepList } from "./run-view.ts";
import type { Step } from "./step.ts";

export interface StepListOptions {
  /** The lines of the run; the first `length` of them are the list. */
  circuitCall: ReplaceableLines;
  length: number;
  steps: readonly Step[];
  locale: Locale;
}

/** The list of a run that has ended: it stands open until the person folds it (agent-mode.md, "最终回答展示"). */
export function createStepList({ circuitCall, length, steps, locale }: StepListOptions): StepList {
  const open = circuitCall.lines.slice(0, length);
  const folded: Line[] = [createLine(foldedLine(steps, locale), "dim")];
  let shown = open;
  return {
    toggle() {
      const next = shown === open ? folded : open;
      const isDone = circuitCall.replace(0, shown.length, next);
      if (isDone) shown = next;
      return isDone;
    },
  };
}

function foldedLine(steps: readonly Step[], locale: Locale): string {
  const [first, last] = [steps.at(0)?.number, steps.at(-1)?.number];
  const range = first === last ? `#${first}` : `#${first}-#${last}`;
  return say(locale, {
    zh: `▸ 步骤 ${range} 已折叠（/fold 展开）`,
    en: `▸ ${first === last ? "Step" : "Steps"} ${range}, folded (/fold opens)`,
  });
}
