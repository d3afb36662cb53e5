import { type Locale, say, type Text } from "../../../kit/locale.ts";
import { element, listOf, type Part, setShown, setText } from "../dom.ts";
import { foldOf } from "../fold.ts";
import type { OpenLink } from "../link.ts";
import { createStep, stepsToShow } from "../step-part.ts";
import { texts } from "../texts.ts";
import type { RunView } from "./run-view.ts";

export interface ShownSteps {
  readonly view: Pick<RunView, "steps" | "status">;
  /** Whether no later question stands below it. */
  readonly isNewest: boolean;
}

/**
 * The steps of a run, a line each. The list of the newest answer stays open until the person folds it; that of an older one
 * folds once by itself, unless the person has opened or folded it (agent-mode.md, "最终回答展示").
 */
export function createStepList(locale: Locale, openLink: OpenLink | undefined): Part<ShownSteps> {
  const list = element("ol");
  const count = element("span", { class: "facts" });
  const heading = element("h2", {}, say(locale, texts.steps));
  const fold = foldOf([heading, " ", count], [list]);
  fold.element.classList.add("step-list");
  const showSteps = listOf(list, () => createStep(locale, openLink));
  /** Undefined until there are steps. Whoever asks for the steps of an older run wants to see them. */
  let foldsByItself: boolean | undefined;
  const whole = element("section", { class: "steps", hidden: "" }, fold.element);
  return {
    element: whole,
    show({ view, isNewest }) {
      showSteps(stepsToShow(view));
      setText(count, say(locale, stepCount(view.steps.length)));
      setShown(whole, view.steps.length > 0);
      if (view.steps.length === 0) return;
      foldsByItself ??= isNewest;
      fold.open(isNewest || !foldsByItself);
    },
  };
}

function stepCount(count: number): Text {
  return { zh: `${count} 步`, en: count === 1 ? "1 step" : `${count} steps` };
}
