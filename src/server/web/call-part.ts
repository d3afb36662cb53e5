import { type Locale, say } from "../../kit/locale.ts";
import { sanitize, sanitizeLine } from "../../kit/text/sanitize.ts";
import { toCallName, toResultName } from "../../render/call-names.ts";
import { createClock } from "./clock.ts";
import { createElement, createList, type Part, setShown, setText } from "./dom.ts";
import { createFold } from "./fold.ts";
import { createLink, type OpenLink } from "./link.ts";
import type { CallEnd, CallItem, FoundSource } from "./run/run-view.ts";
import { texts } from "./texts.ts";

/** A tool call: its name and time on one line; its arguments, what it says and what it gave under that. */
export function createCall(locale: Locale, openLink: OpenLink | undefined): Part<CallItem> {
  const sign = createElement("span", { class: "sign", role: "img" });
  const tool = createElement("code");
  const facts = createElement("span", { class: "facts" });
  const clock = createClock(facts);
  const given = createText(say(locale, texts.arguments));
  const progress = createElement("p", { class: "words", dir: "auto" });
  const result = createText(say(locale, texts.result));
  const top = createElement("ul", { class: "top" });
  const showTop = createList(top, () => createSource(openLink));
  const fold = createFold([sign, " ", tool, " ", facts], [given.element, progress, top, result.element]);
  return {
    element: fold.element,
    show({ tool: name, arguments: args, progress: said, end }) {
      const state = end === undefined ? "running" : end.isOk ? "ok" : "failed";
      fold.element.dataset.state = state;
      setText(sign, signs[state]);
      sign.setAttribute("aria-label", say(locale, texts[state]));
      setText(tool, end === undefined ? toCallName(name, locale) : toResultName(name, locale));
      fold.open(end === undefined);
      setText(facts, factsOf(end, locale));
      clock.run(end === undefined);
      given.show(JSON.stringify(args, undefined, 2) ?? "");
      setText(progress, sanitize(said));
      setShown(progress, said !== "" && end === undefined);
      showTop(end?.top ?? []);
      setShown(top, (end?.top ?? []).length > 0);
      result.show(end?.result ?? "");
    },
  };
}

const signs = { running: "…", ok: "✓", failed: "✗" };

function factsOf(end: CallEnd | undefined, locale: Locale): string {
  if (end === undefined) return "";
  const { resultCount: count } = end;
  const found =
    count === undefined
      ? ""
      : say(locale, { zh: `${count} 条结果`, en: `${count} ${count === 1 ? "result" : "results"}` });
  return [`${end.elapsedMs} ms`, found, end.isCached && say(locale, texts.cached)].filter(Boolean).join(" · ");
}

function createSource(openLink: OpenLink | undefined): Part<FoundSource> {
  const item = createElement("li", { dir: "auto" });
  let before = "";
  return {
    element: item,
    show({ title, url, snippet = "" }) {
      const now = `${title} ${url} ${snippet}`;
      if (now === before) return;
      before = now;
      const words = snippet === "" ? [] : [createElement("p", { class: "facts" }, sanitizeLine(snippet))];
      item.replaceChildren(createLink(url, sanitizeLine(title || url), openLink), ...words);
    },
  };
}

/** A text from outside under its name; long ones scroll, by the keyboard too. */
function createText(title: string): Part<string> {
  const text = createElement("pre", { tabindex: "0", role: "group", "aria-label": title, dir: "auto" });
  const whole = createElement("div", {}, createElement("h3", {}, title), text);
  return {
    element: whole,
    show(value) {
      setText(text, sanitize(value));
      setShown(whole, value !== "");
    },
  };
}
