import { type Locale, say } from "../../kit/locale.ts";
import { printable, printableLine } from "../../kit/text/sanitize.ts";
import { callName, resultName } from "../../render/call-names.ts";
import { createClock } from "./clock.ts";
import { element, listOf, type Part, setShown, setText } from "./dom.ts";
import { foldOf } from "./fold.ts";
import { createLink, type OpenLink } from "./link.ts";
import type { CallEnd, CallItem, FoundSource } from "./run/run-view.ts";
import { texts } from "./texts.ts";

/** A tool call: its name and time on one line; its arguments, what it says and what it gave under that. */
export function createCall(locale: Locale, openLink: OpenLink | undefined): Part<CallItem> {
  const sign = element("span", { class: "sign", role: "img" });
  const tool = element("code");
  const facts = element("span", { class: "facts" });
  const clock = createClock(facts);
  const given = createText(say(locale, texts.arguments));
  const progress = element("p", { class: "words", dir: "auto" });
  const result = createText(say(locale, texts.result));
  const top = element("ul", { class: "top" });
  const showTop = listOf(top, () => createSource(openLink));
  const fold = foldOf([sign, " ", tool, " ", facts], [given.element, progress, top, result.element]);
  return {
    element: fold.element,
    show({ tool: name, arguments: args, progress: said, end }) {
      const state = end === undefined ? "running" : end.isOk ? "ok" : "failed";
      fold.element.dataset.state = state;
      setText(sign, signs[state]);
      sign.setAttribute("aria-label", say(locale, texts[state]));
      setText(tool, end === undefined ? callName(name, locale) : resultName(name, locale));
      fold.open(end === undefined);
      setText(facts, factsOf(end, locale));
      clock.run(end === undefined);
      given.show(JSON.stringify(args, undefined, 2) ?? "");
      setText(progress, printable(said));
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
  const item = element("li", { dir: "auto" });
  let before = "";
  return {
    element: item,
    show({ title, url, snippet = "" }) {
      const now = `${title} ${url} ${snippet}`;
      if (now === before) return;
      before = now;
      const words = snippet === "" ? [] : [element("p", { class: "facts" }, printableLine(snippet))];
      item.replaceChildren(createLink(url, printableLine(title || url), openLink), ...words);
    },
  };
}

/** A text from outside under its name; long ones scroll, by the keyboard too. */
function createText(title: string): Part<string> {
  const text = element("pre", { tabindex: "0", role: "group", "aria-label": title, dir: "auto" });
  const whole = element("div", {}, element("h3", {}, title), text);
  return {
    element: whole,
    show(value) {
      setText(text, printable(value));
      setShown(whole, value !== "");
    },
  };
}
