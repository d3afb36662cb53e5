import { type Locale, say } from "../../../../kit/locale.ts";
import { createElement, setText } from "../../dom.ts";
import { chatTexts } from "../state/chat-texts.ts";

export interface SignIn {
  readonly element: HTMLDialogElement;
  /** Asks for the token until one has been given. */
  ask(isWrong: boolean): void;
}

/** Asks for the token of a server that wants one. There is nothing to go on with without it, so it does not close. */
export function createSignIn(locale: Locale, give: (token: string) => void): SignIn {
  const title = createElement("h2", { id: "sign-in-title" }, say(locale, chatTexts.signIn));
  const why = createElement("p", { class: "hint" }, say(locale, chatTexts.signInWhy));
  const token = createElement("input", { type: "password", id: "token", autocomplete: "off", required: "" });
  const label = createElement(
    "label",
    { class: "field" },
    createElement("span", {}, say(locale, chatTexts.token)),
    token,
  );
  const problem = createElement("p", { class: "problem", role: "alert" });
  const go = createElement("button", { type: "submit", class: "primary" }, say(locale, chatTexts.signIn));
  const form = createElement("form", {}, title, why, label, problem, createElement("div", { class: "actions" }, go));
  const dialog = createElement("dialog", { class: "sign-in", "aria-labelledby": "sign-in-title" }, form);
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
