import { type Locale, say } from "../../../../kit/locale.ts";
import { sanitize } from "../../../../kit/text/sanitize.ts";
import { createElement, type Part, setShown, setText } from "../../dom.ts";
import { chatTexts } from "../state/chat-texts.ts";
import { createButton } from "./ask-part.ts";

/** What is longer, in characters or lines, is folded after its first lines. */
const longText = 1200;
const manyLines = 16;

/** What was asked. */
export function createQuestion(locale: Locale): Part<string> {
  const text = createElement("div", { class: "question", dir: "auto" });
  const fold = createButton("", () => show(text.dataset.folded !== "true"), "unfold");
  const show = (isFolded: boolean): void => {
    text.dataset.folded = String(isFolded);
    fold.setAttribute("aria-expanded", String(!isFolded));
    setText(fold, say(locale, isFolded ? chatTexts.showAll : chatTexts.showLess));
  };
  let before: string | undefined;
  return {
    element: createElement("div", { class: "asked" }, text, fold),
    show(question) {
      if (question === before) return;
      before = question;
      const isLong = question.length > longText || question.split("\n").length > manyLines;
      setText(text, sanitize(question));
      setShown(fold, isLong);
      show(isLong);
    },
  };
}
