import { type Locale, say } from "../../../../kit/locale.ts";
import { element, setText } from "../../dom.ts";
import { chatTexts } from "../state/chat-texts.ts";

export interface SignIn {
  readonly element: HTMLDialogElement;
  /** Asks for the token until one has been given. */
  ask(isWrong: boolean): void;
}

/** Asks for the token of a server that wants one. There is nothing to go on with without it, so it does not close. */
export function createSignIn(locale: Locale, give: (token: string) => void): SignIn {
  const title = element("h2", { id: "sign-in-title" }, say(locale, chatTexts.signIn));
  const why = element("p", { class: "hint" }, say(locale, chatTexts.signInWhy));
  const token = element("input", { type: "password", id: "token", autocomplete: "off", required: "" });
  const label = element("label", { class: "field" }, element("span", {}, say(locale, chatTexts.token)), token);
  const problem = element("p", { class: "problem", role: "alert" });
  const go = element("button", { type: "submit", class: "primary" }, say(locale, chatTexts.signIn));
  const form = element("form", {}, title, why, label, problem, element("div", { class: "actions" }, go));
  const dialog = element("dialog", { class: "sign-in", "aria-labelledby": "sign-in-title" }, form);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const given = token.value.trim();
    if (given === "") return;
    token.value = "";
    dialog.close();
    give(given);
  });
  dialog.addEventListener("cancel", (event) => event.preventDefault());
  return {
    element: dialog,
    ask(isWrong) {
      setText(problem, isWrong ? say(locale, chatTexts.wrongToken) : "");
      if (!dialog.open) dialog.showModal();
      token.focus();
    },
  };
}
