import type { PlanStep } from "../../core/events.ts";
import { type Locale, say } from "../../kit/locale.ts";
import { sanitize, sanitizeLine } from "../../kit/text/sanitize.ts";
import { showBlanks } from "../../kit/text/show-blanks.ts";
import { createElement, type Part, setShown, setText } from "./dom.ts";
import { planStates } from "./texts.ts";

/** A step of the plan: what it is for, with which tool, and how far it is. */
export function createPlanStep(locale: Locale): Part<PlanStep> {
  const description = createElement("span", { dir: "auto" });
  const tool = createElement("code");
  const state = createElement("span", { class: "state" });
  const given = createElement("code", { class: "given", dir: "auto" });
  const item = createElement("li", {}, description, " ", tool, " ", state, given);
  return {
    element: item,
    show(step) {
      setText(description, sanitize(step.description));
      setText(tool, sanitizeLine(step.tool));
      setShown(tool, step.tool !== "");
      // What is confirmed is seen whole.
      const json = JSON.stringify(step.parameters) ?? "{}";
      setText(given, showBlanks(sanitizeLine(json), locale));
      setShown(given, step.tool !== "" && json !== "{}");
      setText(state, say(locale, planStates[step.state]));
      item.dataset.state = step.state;
      if (step.state === "running") item.setAttribute("aria-current", "step");
      else item.removeAttribute("aria-current");
    },
  };
}
