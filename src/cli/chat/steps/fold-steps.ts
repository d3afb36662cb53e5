import { type Locale, say } from "../../../kit/locale.ts";
import type { ReplaceableLines } from "../../terminal/screen/screen-types.ts";
import { createLine, type Line } from "../../terminal/text/line.ts";
import type { Step } from "./step.ts";

/** Holds the lines that the steps of a run have left on the screen. */
export interface StepList {
  /** Puts one line in their place, or them again; false where they do not stand on the screen any more. */
  toggle(): boolean;
}

export interface StepListOptions {
  /** Holds the lines of the run; the first `length` of them are the list. */
  replaceable: ReplaceableLines;
  length: number;
  steps: readonly Step[];
  locale: Locale;
}

/**
 * Creates the list of a run that has ended. It stays expanded until the user folds it (docs/development/agent-mode.md#最终回答展示).
 */
export function createStepList({ replaceable, length, steps, locale }: StepListOptions): StepList {
  const open = replaceable.lines.slice(0, length);
  const folded: Line[] = [createLine(renderFolded(steps, locale), "dim")];
  let shown = open;
  return {
    toggle() {
      const next = shown === open ? folded : open;
      const isDone = replaceable.replace(0, shown.length, next);
      if (isDone) shown = next;
      return isDone;
    },
  };
}

function renderFolded(steps: readonly Step[], locale: Locale): string {
  const [first, last] = [steps.at(0)?.number, steps.at(-1)?.number];
  const range = first === last ? `#${first}` : `#${first}-#${last}`;
  return say(locale, {
    zh: `▸ 步骤 ${range} 已折叠（/fold 展开）`,
    en: `▸ ${first === last ? "Step" : "Steps"} ${range}, folded (/fold opens)`,
  });
}
