import { type Locale, say } from "../../../../kit/locale.ts";
import { createElement, setText } from "../../dom.ts";
import { chatTexts } from "../state/chat-texts.ts";
import { createButton } from "./ask-part.ts";

export interface QuestionDialog {
  readonly element: HTMLElement;
  /** Asks; what is under way goes on when the answer is yes. */
  ask(text: string, yes: string, act: () => void): void;
}

/** A question that nothing else goes on beside. The browser keeps the focus in it, and Escape is a no. */
export function createQuestionDialog(locale: Locale): QuestionDialog {
  const words = createElement("p", { id: "dialog-words" });
  const dialog = createElement("dialog", { class: "confirm-delete", "aria-labelledby": "dialog-words" });
  let act = (): void => {};
  const yes = createButton("", () => {
    dialog.close();
    act();
  });
  yes.className = "danger";
  const no = createButton(say(locale, chatTexts.cancel), () => dialog.close());
  dialog.append(words, createElement("div", { class: "actions" }, yes, no));
  return {
    element: dialog,
    ask(text, yesWord, then) {
      act = then;
      setText(words, text);
      setText(yes, yesWord);
      dialog.showModal();
      no.focus();
    },
  };
}
