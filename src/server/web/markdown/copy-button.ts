import { type Locale, say } from "../../../kit/locale.ts";
import { createElement, setText } from "../dom.ts";
import { words } from "./words.ts";

/** Copies a text. None where the browser has no clipboard for this page, as on one that came without encryption. */
export function createCopyButton(textOf: () => string, locale: Locale): HTMLElement[] {
  if (typeof navigator === "undefined" || navigator.clipboard === undefined) return [];
  const button = createElement("button", { type: "button", class: "copy" }, say(locale, words.copy));
  const tell = (text: keyof typeof words): void => setText(button, say(locale, words[text]));
  button.addEventListener("click", () => {
    navigator.clipboard.writeText(textOf()).then(
      () => tell("copied"),
      () => tell("notCopied"),
    );
  });
  button.addEventListener("blur", () => tell("copy"));
  return [button];
}
