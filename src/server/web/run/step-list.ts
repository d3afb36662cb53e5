import { type Locale, say, type Text } from "../../../kit/errors.ts";
import { createElement, createFold, createList, type OpenLink, type Part, setShown, setText } from "../dom.ts";
import { createStepPart, listShownSteps } from "../step-part.ts";
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
  const list = createElement("ol");
  const count = createElement("span", { class: "facts" });
  const heading = createElement("h2", {}, say(locale, texts.steps));
  const fold = createFold([heading, " ", count], [list]);
  fold.element.classList.add("step-list");
  const showSteps = createList(list, () => createStepPart(locale, openLink));
  /** Undefined until there are steps. Whoever asks for the steps of an older run wants to see them. */
  let foldsByItself: boolean | undefined;
  const whole = createElement("section", { class: "steps", hidden: "" }, fold.element);
  return {
    element: whole,
    show({ view, isNewest }) {
      showSteps(listShownSteps(view));
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
