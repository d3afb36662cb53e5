import { type Locale, say, type Text } from "../../../kit/locale.ts";
import { createElement, createFold, createList, type OpenLink, type Part, setShown, setText } from "../dom.ts";
import { createStepPart, listShownSteps } from "../step-part.ts";
import { texts } from "../texts.ts";
import type { RunView } from "./run-view.ts";

export interface ShownSteps {
  readonly view: Pick<RunView, "steps" | "status">;
  readonly isNewest: boolean;
}

/**
 * Shows the steps of a run, one line each. The list of the newest answer stays open until the user collapses it. The list of an
 * older answer collapses once by itself, unless the user has opened or collapsed it (docs/development/agent-mode.md#最终回答展示).
 */
export function createStepList(locale: Locale, openLink: OpenLink | undefined): Part<ShownSteps> {
  const list = createElement("ol");
  const count = createElement("span", { class: "facts" });
  const heading = createElement("h2", {}, say(locale, texts.steps));
  const fold = createFold([heading, " ", count], [list]);
  fold.element.classList.add("step-list");
  const showSteps = createList(list, () => createStepPart(locale, openLink));
  /**
   * Is undefined until there are steps. It is false for a list first shown for an older run, because the user asked to see its
   * steps.
   */
  let foldsByItself: boolean | undefined;
  const whole = createElement("section", { class: "steps", hidden: "" }, fold.element);
  return {
    element: whole,
    show({ view, isNewest }) {
      showSteps(listShownSteps(view));
      setText(count, say(locale, describeCount(view.steps.length)));
      setShown(whole, view.steps.length > 0);
      if (view.steps.length === 0) return;
      foldsByItself ??= isNewest;
      fold.open(isNewest || !foldsByItself);
    },
  };
}

function describeCount(count: number): Text {
  return { zh: `${count} 步`, en: count === 1 ? "1 step" : `${count} steps` };
}
