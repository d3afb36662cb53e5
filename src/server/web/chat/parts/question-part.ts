import { type Locale, say } from "../../../../kit/locale.ts";
import { printable } from "../../../../kit/text/sanitize.ts";
import { element, type Part, setShown, setText } from "../../dom.ts";
import { chatTexts } from "../state/chat-texts.ts";
import { button } from "./ask-part.ts";

/** What is longer, in characters or lines, is folded after its first lines. */
const longText = 1200;
const manyLines = 16;

/** What was asked. */
export function createQuestion(locale: Locale): Part<string> {
  const text = element("div", { class: "question", dir: "auto" });
  const fold = button("", () => show(text.dataset.folded !== "true"), "unfold");
  const show = (isFolded: boolean): void => {
    text.dataset.folded = String(isFolded);
    fold.setAttribute("aria-expanded", String(!isFolded));
    setText(fold, say(locale, isFolded ? chatTexts.showAll : chatTexts.showLess));
  };
  let before: string | undefined;
  return {
    element: element("div", { class: "asked" }, text, fold),
    show(question) {
      if (question === before) return;
      before = question;
      const isLong = question.length > longText || question.split("\n").length > manyLines;
      setText(text, printable(question));
      setShown(fold, isLong);
      show(isLong);
    },
  };
}
