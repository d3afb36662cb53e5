import { type Locale, say } from "../../../../kit/locale.ts";
import { createButton, createElement } from "../../dom.ts";
import { chatTexts } from "../state/chat-texts.ts";

/**
 * Asks whether the token of a link is to replace the one that this tab has. Whoever made the link would read what is asked
 * afterwards. Resolves to true only where a person says so.
 */
export function askTokenChange(document: Document, locale: Locale): Promise<boolean> {
  return new Promise((resolve) => {
    const finish = (changes: boolean): void => {
      dialog.remove();
      resolve(changes);
    };
    const title = createElement("h2", { id: "token-question" }, say(locale, chatTexts.tokenChange));
    const why = createElement("p", { class: "hint" }, say(locale, chatTexts.tokenChangeWhy));
    const stay = createButton(say(locale, chatTexts.keepToken), () => finish(false));
    stay.className = "primary";
    const change = createButton(say(locale, chatTexts.changeToken), () => finish(true));
    change.className = "danger";
    const dialog = createElement(
      "dialog",
      { class: "change-token", "aria-labelledby": "token-question" },
      title,
      why,
      createElement("div", { class: "actions" }, change, stay),
    );
    dialog.addEventListener("close", () => finish(false));
    document.documentElement.lang = locale === "zh" ? "zh-CN" : "en";
    document.body.append(dialog);
    dialog.showModal();
    stay.focus();
  });
}
