import type { PlanStep } from "../../core/events.ts";
import { type Locale, say } from "../../kit/locale.ts";
import { printable, printableLine } from "../../kit/text/sanitize.ts";
import { showBlanks } from "../../kit/text/show-blanks.ts";
import { element, type Part, setShown, setText } from "./dom.ts";
import { planStates } from "./texts.ts";

/** A step of the plan: what it is for, with which tool, and how far it is. */
export function createPlanStep(locale: Locale): Part<PlanStep> {
  const description = element("span", { dir: "auto" });
  const tool = element("code");
  const state = element("span", { class: "state" });
  const given = element("code", { class: "given", dir: "auto" });
  const item = element("li", {}, description, " ", tool, " ", state, given);
  return {
    element: item,
    show(step) {
      setText(description, printable(step.description));
      setText(tool, printableLine(step.tool));
      setShown(tool, step.tool !== "");
      // What is confirmed is seen whole.
      const json = JSON.stringify(step.parameters) ?? "{}";
      setText(given, showBlanks(printableLine(json), locale));
      setShown(given, step.tool !== "" && json !== "{}");
      setText(state, say(locale, planStates[step.state]));
      item.dataset.state = step.state;
      if (step.state === "running") item.setAttribute("aria-current", "step");
      else item.removeAttribute("aria-current");
    },
  };
}
