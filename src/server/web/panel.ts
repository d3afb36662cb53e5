import { type Locale, say } from "../../kit/locale.ts";
import { sanitize, sanitizeLine } from "../../kit/text/sanitize.ts";
import { createAnswerPart } from "./answer-part.ts";
import { createBillPart } from "./bill-part.ts";
import {
  createElement,
  createList,
  createPlanStep,
  createSection,
  type OpenLink,
  type Part,
  setShown,
  setText,
} from "./dom.ts";
import type { Confirmation, RunView } from "./run/run-view.ts";
import { createNotice, createStepList } from "./step-part.ts";
import { renderStatus, texts } from "./texts.ts";

export interface PanelOptions {
  readonly locale: Locale;
  /** Ends the run; rejects with what to tell the reader. */
  stop(runId: string): Promise<void>;
  /** Opens a page elsewhere; absent where a link does that by itself. Rejects where it was not opened. */
  readonly openLink?: OpenLink | undefined;
}

/** Shows a run as a live part of any page. */
export function createPanel({ locale, stop, openLink }: PanelOptions): Part<RunView> {
  const title = createElement("h1", { dir: "auto" });
  const status = createElement("p", { class: "status", role: "status", "aria-live": "polite" });
  const problem = createElement("div", { class: "problem", role: "alert", hidden: "" });
  const word = createElement("p", { class: "word", role: "alert", hidden: "" });
  const showStatus = (text: string): void => {
    setText(word, text);
    setShown(word, text !== "");
  };
  const stopButton = createStop({ locale, stop, showStatus: showStatus });
  const open = openLink && ((url: string) => openLink(url).catch(() => showStatus(say(locale, texts.notOpened) + url)));

  const notices = createElement("ul", { class: "notices" });
  const planList = createElement("ol");
  const plan = createSection("plan", say(locale, texts.plan), planList);
  const steps = createStepList(locale, { openLink: open });
  const confirmation = createConfirmation(locale);
  const answer = createAnswerPart(locale, open);
  const bill = createBillPart(locale);
  const showNotices = createList(notices, () => createNotice("li"));
  const showPlan = createList(planList, () => createPlanStep(locale));

  const head = createElement("header", {}, title, createElement("div", { class: "bar" }, status, stopButton.element));
  const parts = [head, word, problem, confirmation.element, notices, plan, steps.element, answer.element, bill.element];
  return {
    element: createElement("main", { lang: locale === "zh" ? "zh-CN" : "en" }, ...parts),
    show(view) {
      setText(title, view.question || say(locale, texts.noQuestion));
      setText(status, renderStatus(view, locale));
      status.dataset.status = view.status;
      stopButton.show(view);
      setText(problem, view.problem ? [view.problem.message, view.problem.hint].filter(Boolean).join("\n") : "");
      setShown(problem, view.problem !== undefined);
      confirmation.show(view.confirmation);
      showNotices(view.notices);
      setShown(notices, view.notices.length > 0);
      showPlan(view.plan);
      setShown(plan, view.plan.length > 0);
      steps.show({ view, isNewest: true });
      answer.show(view);
      bill.show(view);
    },
  };
}

interface StopOptions extends Pick<PanelOptions, "locale" | "stop"> {
  showStatus(text: string): void;
}

/** Creates a button that is shown while there is something to stop. */
function createStop({ locale, stop, showStatus: tell }: StopOptions): Part<RunView> {
  const button = createElement("button", { type: "button", class: "stop", hidden: "" }, say(locale, texts.stop));
  let runId: string | undefined;
  let asked: string | undefined;
  const draw = (): void => {
    button.toggleAttribute("disabled", asked !== undefined && asked === runId);
    setText(button, say(locale, asked === runId && asked !== undefined ? texts.stopping : texts.stop));
  };
  button.addEventListener("click", () => {
    if (runId === undefined || asked === runId) return;
    asked = runId;
    tell("");
    draw();
    stop(runId).catch((reason: unknown) => {
      asked = undefined;
      draw();
      tell(say(locale, texts.notStopped) + (reason instanceof Error ? reason.message : String(reason)));
    });
  });
  return {
    element: button,
    show(view) {
      runId = view.runId;
      setShown(button, runId !== undefined && (view.status === "running" || view.status === "needs_confirmation"));
      draw();
    },
  };
}

const titles = { call: texts.confirmCall, plan: texts.confirmPlan, question: texts.question };

/**
 * Shows what the run waits for. The page does not ask; the chat does, because whoever answers must have seen the question there.
 */
export function createConfirmation(locale: Locale): Part<Confirmation | undefined> {
  const title = createElement("strong");
  const tool = createElement("code");
  const message = createElement("p", { class: "words", dir: "auto" });
  const given = createElement("pre", { tabindex: "0", role: "group", "aria-label": say(locale, texts.arguments) });
  const advice = createElement("p", {}, say(locale, texts.chatAsks));
  const box = createElement("div", { class: "confirmation", role: "alert", hidden: "" });
  box.append(createElement("p", {}, title, " ", tool), message, given, advice);
  return {
    element: box,
    show(waits) {
      setShown(box, waits !== undefined);
      if (waits === undefined) return;
      setText(title, say(locale, titles[waits.kind]));
      setText(tool, sanitizeLine(waits.tool));
      setShown(tool, waits.tool !== "");
      setText(message, sanitize(waits.message));
      setShown(message, waits.message !== "");
      const json = waits.arguments === undefined ? "" : JSON.stringify(waits.arguments, undefined, 2);
      setText(given, sanitize(json));
      setShown(given, json !== "");
    },
  };
}
