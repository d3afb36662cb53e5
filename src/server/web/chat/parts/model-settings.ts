import { type Locale, say } from "../../../../kit/locale.ts";
import { sanitizeLine } from "../../../../kit/text/sanitize.ts";
import { parameterRanges } from "../../../../render/choice-texts.ts";
import { createElement, type Part, setShown, setText } from "../../dom.ts";
import { type ModelKey, type ParameterName, parameterNames, roles } from "../api/server-settings.ts";
import { getModel } from "../state/chat-choices.ts";
import type { ChatState } from "../state/chat-state.ts";
import { chatTexts, parameterLabels, roleNames } from "../state/chat-texts.ts";
import type { ChatActions } from "./chat-actions.ts";

export interface ModelSettings extends Part<ChatState> {
  /** Returns the first field with an invalid value. The error is shown beside it. */
  wrong(): HTMLElement | undefined;
}

/** Creates the controls for the two models and their parameters (docs/development/agent-mode.md#ui-配置). */
export function createModelSettings(locale: Locale, actions: ChatActions): ModelSettings {
  const parts = roles.map((role) => createRole(role, locale, actions));
  return {
    element: createElement(
      "div",
      { class: "more-settings", id: "more_settings", hidden: "" },
      ...parts.map((part) => part.element),
    ),
    wrong: () => parts.map((part) => part.wrong()).find((input) => input !== undefined),
    show(chat) {
      for (const part of parts) part.show(chat);
    },
  };
}

function createRole(role: ModelKey, locale: Locale, actions: ChatActions): ModelSettings {
  const model = createElement("select", { id: `${role}_model` });
  const name = say(locale, roleNames[role]);
  const label = createElement(
    "label",
    { class: "field" },
    createElement("span", {}, say(locale, chatTexts.model)),
    model,
  );
  const parameters = parameterNames.map((parameter) => createParameter(role, parameter, locale, actions));
  let listed: readonly string[] = [];
  model.addEventListener("change", () => actions.chooseModel(role, model.value));
  const legend = createElement("legend", {}, name);
  const numbers = createElement("div", { class: "parameters" }, ...parameters.map((part) => part.element));
  const whole = createElement("fieldset", { class: "role" }, legend, label, numbers);
  return {
    element: whole,
    wrong: () => parameters.map((part) => part.wrong()).find((input) => input !== undefined),
    show(chat) {
      const now = getModel(chat, role);
      const choices = [...new Set([now, ...(chat.settings?.choices ?? [])])].filter(Boolean);
      if (choices.join("\n") !== listed.join("\n"))
        model.replaceChildren(...choices.map((each) => createElement("option", { value: each }, sanitizeLine(each))));
      listed = choices;
      model.value = now;
      model.disabled = choices.length < 2;
      for (const part of parameters) part.show(chat);
    },
  };
}

function createParameter(role: ModelKey, name: ParameterName, locale: Locale, actions: ChatActions): ModelSettings {
  const id = `${role}_${name}`;
  const input = createElement("input", {
    id,
    type: "text",
    inputmode: "decimal",
    autocomplete: "off",
    class: "number",
  });
  const problem = createElement("span", { class: "problem", role: "alert", hidden: "" });
  const label = createElement(
    "label",
    { class: "field" },
    createElement("span", {}, parameterLabels[name]),
    input,
    problem,
  );
  const read = (): void => {
    const text = input.value.trim();
    const value = text === "" ? undefined : Number(text);
    const isFine = value === undefined || isWithinRange(name, value);
    setText(problem, isFine ? "" : say(locale, chatTexts.wanted) + say(locale, parameterRanges[name]));
    setShown(problem, !isFine);
    input.setAttribute("aria-invalid", String(!isFine));
    if (isFine) actions.chooseParameter(role, name, value);
  };
  const isWrong = (): boolean => input.getAttribute("aria-invalid") === "true";
  input.addEventListener("change", read);
  return {
    element: label,
    wrong() {
      read();
      return isWrong() ? input : undefined;
    },
    show({ choices, settings }) {
      input.placeholder = String(settings?.parameters[role][name] ?? "");
      // What is being typed is not taken away.
      if (input.ownerDocument.activeElement !== input && !isWrong())
        input.value = String(choices.parameters[role]?.[name] ?? "");
    },
  };
}

/** Checks the range of docs/development/model-invocation.md#无效参数. The server checks the vendor's further limits. */
function isWithinRange(name: ParameterName, value: number): boolean {
  if (name === "temperature") return value >= 0 && value < 2;
  if (name === "top_p") return value > 0 && value <= 1;
  return Number.isInteger(value) && value >= 1;
}
