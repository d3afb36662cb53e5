import type { FormField } from "../../../../core/forms/form.ts";
import { findValueProblem, getDefaultValue } from "../../../../core/forms/form-value.ts";
import type { UserReply } from "../../../../core/questions/user-question.ts";
import type { JsonObject, JsonValue } from "../../../../kit/json.ts";
import { type Locale, say } from "../../../../kit/locale.ts";
import { sanitize, sanitizeLine } from "../../../../kit/text/sanitize.ts";
import { type PageWording, toPageWording } from "../../../../render/questions/page-wording.ts";
import { createButton, createElement, createLink, type Part, setShown, setText } from "../../dom.ts";
import type { OpenQuestion } from "../api/question.ts";
import { chatTexts } from "../state/chat-texts.ts";

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

interface FormFields {
  readonly element: HTMLElement;
  /**
   * Returns the filled-in values, or undefined when one is invalid. The invalid field then shows the error and gets the focus.
   */
  read(): JsonObject | undefined;
}

/** Creates the fields of a form. */
export function createFormFields(form: readonly FormField[], locale: Locale): FormFields {
  const fields = form.map((field) => createField(field, locale));
  return {
    element: createElement("div", { class: "fields" }, ...fields.map((field) => field.element)),
    read() {
      const read = fields.map((field) => ({ field, isFine: field.check() }));
      const wrong = read.find(({ isFine }) => !isFine);
      wrong?.field.focus();
      if (wrong !== undefined) return undefined;
      return Object.fromEntries(
        fields.flatMap(({ name, value }) => {
          const given = value();
          return given === undefined ? [] : [[name, given] as const];
        }),
      );
    },
  };
}

interface Field {
  readonly name: string;
  readonly element: HTMLElement;
  /** Returns undefined when the field is empty. */
  value(): JsonValue | undefined;
  check(): boolean;
  focus(): void;
}

function createField(field: FormField, locale: Locale): Field {
  const { input, value } = createInput(field, locale);
  const need = field.required ? say(locale, chatTexts.required) : "";
  const label = createElement("span", {}, sanitizeLine(field.title ?? field.name) + need);
  const help = createElement("span", { class: "hint" }, sanitize(field.description ?? ""));
  const problem = createElement("span", { class: "problem", role: "alert", hidden: "" });
  setShown(help, help.textContent !== "");
  return {
    name: field.name,
    element: createElement("label", { class: "field" }, label, help, input, problem),
    value,
    focus: () => input.focus(),
    check() {
      const given = value();
      const missing = given === undefined && field.required;
      const wrong = given === undefined ? undefined : findValueProblem(field, given);
      const isWrong = missing || wrong !== undefined;
      const told =
        wrong === undefined ? say(locale, chatTexts.missing) : say(locale, chatTexts.wanted) + say(locale, wrong);
      setText(problem, isWrong ? told : "");
      setShown(problem, isWrong);
      input.setAttribute("aria-invalid", String(isWrong));
      return !isWrong;
    },
  };
}

interface Input {
  readonly input: HTMLElement;
  value(): JsonValue | undefined;
}

function createInput(field: FormField, locale: Locale): Input {
  const preset = getDefaultValue(field);
  if (field.kind === "boolean") {
    const input = createElement("input", { type: "checkbox" });
    input.checked = preset === true;
    return { input, value: () => input.checked };
  }
  if (field.kind === "choice" || field.kind === "choices") {
    const input = createElement("select", field.kind === "choices" ? { multiple: "" } : {});
    if (field.kind === "choice") input.append(createElement("option", { value: "" }, say(locale, chatTexts.choose)));
    for (const { value, title } of field.choices) {
      const option = createElement("option", { value: `=${value}` }, sanitizeLine(title));
      option.selected = Array.isArray(preset) ? preset.includes(value) : preset === value;
      input.append(option);
    }
    const listChosen = (): string[] =>
      [...input.selectedOptions].flatMap(({ value }) => (value === "" ? [] : [value.slice(1)]));
    if (field.kind === "choice") return { input, value: () => listChosen()[0] };
    return { input, value: () => (listChosen().length > 0 ? listChosen() : undefined) };
  }
  const input = createElement("input", field.kind === "number" ? { type: "number", step: "any" } : { type: "text" });
  if (preset !== undefined) input.value = String(preset);
  if (field.kind === "text") return { input, value: () => (input.value === "" ? undefined : input.value) };
  // What is no number, a browser gives as empty; it is not to pass for nothing.
  const number = (): number | undefined => (input.value.trim() === "" ? undefined : Number(input.value));
  return { input, value: () => (input.validity.badInput ? Number.NaN : number()) };
}
