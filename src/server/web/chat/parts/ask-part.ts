import { type FormField, readForm } from "../../../../core/forms/form.ts";
import { findValueProblem, getDefaultValue } from "../../../../core/forms/form-value.ts";
import type { Approval } from "../../../../core/tools/tool.ts";
import type { JsonObject, JsonSchema, JsonValue } from "../../../../kit/json.ts";
import { type Locale, say, type Text } from "../../../../kit/locale.ts";
import { sanitize, sanitizeLine } from "../../../../kit/text/sanitize.ts";
import { approvalNames } from "../../../../render/choice-texts.ts";
import { createElement, createLink, type Part, setShown, setText } from "../../dom.ts";
import type { OpenQuestion, Reply } from "../api/question.ts";
import { chatTexts } from "../state/chat-texts.ts";

/** Gives an answer to the run; false where it was not taken, so that it may be given again. */
export type Answer = (question: OpenQuestion, reply: Reply) => Promise<boolean>;

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
      const reply = (said: Reply): void => {
        for (const control of box.querySelectorAll("button, input, select, textarea"))
          control.setAttribute("disabled", "");
        void answer(question, said).then((isTaken) => {
          if (isTaken) return;
          for (const control of box.querySelectorAll("[disabled]")) control.removeAttribute("disabled");
        });
      };
      const title = createElement("strong", { class: "ask-title", role: "alert" }, titleOf(question, locale));
      box.replaceChildren(title, ...bodyOf(question, locale, reply));
      box.setAttribute("aria-label", titleOf(question, locale));
    },
  };
}

function titleOf(question: OpenQuestion, locale: Locale): string {
  if (question.kind === "call") return `${say(locale, chatTexts.mayRun)} ${sanitizeLine(question.tool)}`;
  if (question.kind === "plan") return say(locale, chatTexts.carryOut);
  const from = sanitizeLine(question.from);
  return say(locale, question.kind === "form" ? chatTexts.asks : chatTexts.asksPage) + (from && ` · ${from}`);
}

type Say = (reply: Reply) => void;

function bodyOf(question: OpenQuestion, locale: Locale, reply: Say): Node[] {
  switch (question.kind) {
    case "call":
      return callBody(question, locale, reply);
    case "plan":
      return planBody(locale, reply);
    case "form":
      return formBody(question, locale, reply);
    case "url":
      return pageBody(question, locale, reply);
  }
}

function callBody(question: OpenQuestion & { kind: "call" }, locale: Locale, reply: Say): Node[] {
  const { onlyOnce, rule } = question;
  // All of them: what is out of sight would be agreed to unseen.
  const given = createElement(
    "pre",
    { class: "arguments", tabindex: "0" },
    sanitize(JSON.stringify(question.arguments, undefined, 2) ?? "null"),
  );
  const answers: readonly Approval[] = ["once", "conversation", "no", "never"];
  const shown = answers.filter((each) => each !== "conversation" || !onlyOnce);
  const looks: Partial<Record<Approval, string>> = { once: "primary", no: "danger", never: "danger" };
  const buttons = shown.map((each) => createButton(say(locale, approvalNames[each]), () => reply(each), looks[each]));
  const facts = createElement("p", { class: "facts" }, say(locale, chatTexts.rule) + sanitizeLine(rule));
  return [given, ...(rule === "" ? [] : [facts]), actions(...buttons)];
}

/** The plan itself is already shown above, as a list. */
function planBody(locale: Locale, reply: Say): Node[] {
  const words = createElement("textarea", { class: "change", rows: "2" });
  const sendChange = createButton(say(locale, chatTexts.sendChange), () => {
    const text = words.value.trim();
    if (text === "") return words.focus();
    reply({ reply: "edit", words: text });
  });
  const field = createElement(
    "label",
    { class: "field", hidden: "" },
    say(locale, chatTexts.change),
    words,
    sendChange,
  );
  const edit = createButton(say(locale, chatTexts.editPlan), () => {
    field.toggleAttribute("hidden");
    edit.setAttribute("aria-expanded", String(!field.hasAttribute("hidden")));
    words.focus();
  });
  edit.setAttribute("aria-expanded", "false");
  const yes = createButton(say(locale, chatTexts.yesPlan), () => reply({ reply: "yes" }), "primary");
  const no = createButton(say(locale, chatTexts.noPlan), () => reply({ reply: "no" }), "danger");
  return [actions(yes, edit, no), field];
}

function formBody({ message, schema }: OpenQuestion & { kind: "form" }, locale: Locale, reply: Say): Node[] {
  const fields = createFormFields(schema, locale);
  const send = createButton(say(locale, chatTexts.sendForm), () => {
    const content = fields?.read();
    if (content !== undefined) reply({ action: "accept", content });
  });
  send.className = "primary";
  fields?.element.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.isComposing || !(event.target instanceof HTMLInputElement)) return;
    event.preventDefault();
    send.click();
  });
  const hint = createElement("p", { class: "hint" }, say(locale, chatTexts.noSecrets));
  const shown = fields === undefined ? [] : [fields.element, hint];
  return [quote(message), ...shown, actions(...(fields === undefined ? [] : [send]), ...refusals(locale, reply))];
}

function pageBody({ message, url }: OpenQuestion & { kind: "url" }, locale: Locale, reply: Say): Node[] {
  const host = URL.canParse(url) ? new URL(url).host : "?";
  const address = createElement("p", { class: "address" }, createLink(url, sanitizeLine(url), undefined));
  const facts = createElement("p", { class: "facts" }, say(locale, chatTexts.host) + sanitizeLine(host));
  const hint = createElement("p", { class: "hint" }, say(locale, chatTexts.openPage));
  const done = createButton(say(locale, chatTexts.wasThere), () => reply({ action: "accept" }), "primary");
  return [quote(message), address, facts, hint, actions(done, ...refusals(locale, reply))];
}

function refusals(locale: Locale, reply: Say): HTMLButtonElement[] {
  const named = (text: Text, action: "decline" | "cancel"): HTMLButtonElement =>
    createButton(say(locale, text), () => reply({ action }), action === "decline" ? "danger" : undefined);
  return [named(chatTexts.decline, "decline"), named(chatTexts.cancel, "cancel")];
}

function quote(message: string): HTMLElement {
  return createElement("p", { class: "words", dir: "auto" }, sanitize(message));
}

function actions(...buttons: readonly Node[]): HTMLElement {
  return createElement("div", { class: "actions" }, ...buttons);
}

export function createButton(text: string, press: () => void, look?: string | undefined): HTMLButtonElement {
  const made = createElement("button", { type: "button", ...(look === undefined ? {} : { class: look }) }, text);
  made.addEventListener("click", press);
  return made;
}

export interface FormFields {
  readonly element: HTMLElement;
  /**
   * Returns the filled-in values, or undefined when one is invalid. The invalid field then shows the error and gets the focus.
   */
  read(): JsonObject | undefined;
}

/** Creates the fields of a tool's form (MCP elicitation). Returns undefined for a form that cannot be shown. */
export function createFormFields(schema: JsonSchema, locale: Locale): FormFields | undefined {
  const fields = readForm(schema)?.map((field) => createField(field, locale));
  if (fields === undefined) return undefined;
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
    const chosen = (): string[] =>
      [...input.selectedOptions].flatMap(({ value }) => (value === "" ? [] : [value.slice(1)]));
    if (field.kind === "choice") return { input, value: () => chosen()[0] };
    return { input, value: () => (chosen().length > 0 ? chosen() : undefined) };
  }
  const input = createElement("input", field.kind === "number" ? { type: "number", step: "any" } : { type: "text" });
  if (preset !== undefined) input.value = String(preset);
  if (field.kind === "text") return { input, value: () => (input.value === "" ? undefined : input.value) };
  // What is no number, a browser gives as empty; it is not to pass for nothing.
  const number = (): number | undefined => (input.value.trim() === "" ? undefined : Number(input.value));
  return { input, value: () => (input.validity.badInput ? Number.NaN : number()) };
}
