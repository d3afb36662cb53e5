import type { FormField } from "../../../../core/forms/form.ts";
import { findValueProblem, getDefaultValue } from "../../../../core/forms/form-value.ts";
import type { JsonObject, JsonValue } from "../../../../kit/json.ts";
import { type Locale, say } from "../../../../kit/locale.ts";
import { sanitize, sanitizeLine } from "../../../../kit/text/sanitize.ts";
import { createElement, setShown, setText } from "../../dom.ts";
import { chatTexts } from "../state/chat-texts.ts";

export interface FormFields {
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
