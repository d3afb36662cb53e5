import { type Locale, say } from "../../../kit/locale.ts";
import { createElement, setText } from "../dom.ts";
import { createCopyButton } from "./copy-button.ts";
import { words } from "./words.ts";

export interface CodeBlock {
  readonly element: HTMLElement;
  /** Adds text that stays. */
  add(text: string): void;
  /** The line that is being written. */
  setLast(text: string): void;
}

/** Code that may grow: what is there is never written again. It scrolls by the keyboard too. */
export function createCodeBlock(language: string, locale: Locale): CodeBlock {
  const last = document.createTextNode("");
  const code = createElement("code", {}, last);
  const name = language.split(/\s/, 1)[0] ?? "";
  const title = createElement("span", { class: "code-name" }, name);
  const text = createElement(
    "pre",
    { tabindex: "0", role: "group", "aria-label": name || say(locale, words.code) },
    code,
  );
  const bar = createElement(
    "div",
    { class: "code-bar" },
    title,
    ...createCopyButton(() => code.textContent ?? "", locale),
  );
  return {
    element: createElement("div", { class: "code" }, bar, text),
    add: (more) => last.before(more),
    setLast: (line) => setText(last, line),
  };
}
