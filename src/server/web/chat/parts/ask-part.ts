import type { UserReply } from "../../../../core/questions/user-question.ts";
import type { Locale } from "../../../../kit/locale.ts";
import { sanitizeLine } from "../../../../kit/text/sanitize.ts";
import { type PageWording, toPageWording } from "../../../../render/questions/page-wording.ts";
import { createButton, createElement, createLink, type Part } from "../../dom.ts";
import type { OpenQuestion } from "../api/question.ts";
import { createFormFields, type FormFields } from "./form-fields.ts";

/** Gives an answer to the run; false where it was not taken, so that it may be given again. */
export type Answer = (question: OpenQuestion, reply: UserReply) => Promise<boolean>;

/** Shows the run's question with all its details and the possible answers. */
export function createAsk(locale: Locale, answer: Answer): Part<OpenQuestion | undefined> {
  const box = createElement("div", { class: "ask", role: "group", hidden: "" });
  let shown: string | undefined;
  // What waits for a person is in sight, also where it grows.
  new ResizeObserver(() => box.scrollIntoView({ block: "nearest" })).observe(box);
  return {
    element: box,
    show(question) {
      if (question?.id === shown) return;
      shown = question?.id;
      box.toggleAttribute("hidden", question === undefined);
      if (question === undefined) return box.replaceChildren();
      box.dataset.kind = question.kind;
      const reply = (said: UserReply): void => {
        for (const control of box.querySelectorAll("button, input, select, textarea"))
          control.setAttribute("disabled", "");
        void answer(question, said).then((isTaken) => {
          if (isTaken) return;
          for (const control of box.querySelectorAll("[disabled]")) control.removeAttribute("disabled");
        });
      };
      const wording = toPageWording(question, locale);
      const title = createElement("strong", { class: "ask-title", role: "alert" }, wording.title);
      box.replaceChildren(title, ...createBody(wording, locale, reply));
      box.setAttribute("aria-label", wording.title);
    },
  };
}

function createBody<R>({ details, choices }: PageWording<R>, locale: Locale, send: (reply: R) => void): Node[] {
  let fields: FormFields | undefined;
  const actions = createElement("div", { class: "actions" });
  const body = details.map((detail): HTMLElement => {
    if (detail.kind === "fields") {
      fields = createFormFields(detail.fields, locale);
      return fields.element;
    }
    if (detail.kind === "json") return createElement("pre", { class: "arguments", tabindex: "0" }, detail.text);
    const line = createElement("p", { class: detail.kind });
    if (detail.kind === "words") line.dir = "auto";
    line.append(detail.kind === "address" ? createLink(detail.url, sanitizeLine(detail.url), undefined) : detail.text);
    return line;
  });
  body.push(actions);
  for (const choice of choices) {
    const button = createButton(choice.label, () => press(), choice.look);
    let press = (): void => {
      if (choice.kind === "reply") send(choice.reply);
    };
    actions.append(button);
    if (choice.kind === "form") {
      press = () => {
        const content = fields?.read();
        if (content !== undefined) send(choice.toReply(content));
      };
      fields?.element.addEventListener("keydown", (event) => {
        if (event.key !== "Enter" || event.isComposing || !(event.target instanceof HTMLInputElement)) return;
        event.preventDefault();
        button.click();
      });
    } else if (choice.kind === "text") {
      const words = createElement("textarea", { class: "change", rows: "2" });
      const sendText = createButton(choice.send, () => {
        const text = words.value.trim();
        if (text === "") return words.focus();
        send(choice.toReply(text));
      });
      const field = createElement("label", { class: "field", hidden: "" }, choice.field, words, sendText);
      body.push(field);
      press = () => {
        field.toggleAttribute("hidden");
        button.setAttribute("aria-expanded", String(!field.hasAttribute("hidden")));
        words.focus();
      };
      button.setAttribute("aria-expanded", "false");
    }
  }
  return body;
}
