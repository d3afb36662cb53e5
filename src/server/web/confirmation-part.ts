import { type Locale, say } from "../../kit/locale.ts";
import { sanitize, sanitizeLine } from "../../kit/text/sanitize.ts";
import { createElement, type Part, setShown, setText } from "./dom.ts";
import type { Confirmation } from "./run/run-view.ts";
import { texts } from "./texts.ts";

const titles = { call: texts.confirmCall, plan: texts.confirmPlan, question: texts.question };

/** What the run waits for. The chat asks, not the page: whoever answers must have seen the question there. */
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
