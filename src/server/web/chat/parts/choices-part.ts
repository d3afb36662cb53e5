import { type Locale, say } from "../../../../kit/locale.ts";
import { describeSearchChoice, modeHelp, modeNames, modes, modeTitle } from "../../../../render/mode-names.ts";
import { createElement, type Part, setShown, setText } from "../../dom.ts";
import type { ChatState } from "../state/chat-state.ts";
import { chatTexts, searchBarred } from "../state/chat-texts.ts";
import type { ChatActions } from "./chat-actions.ts";
import { createModelSettings } from "./model-settings.ts";

export interface ChoicesPart extends Part<ChatState> {
  /** Folds the models and parameters away; false where they are not in sight. */
  close(): boolean;
  /** False where a parameter is not allowed: it is shown, and has the focus. */
  check(): boolean;
}

/** The mode, the search switch, the models and their parameters (model-invocation.md, "模式 UI 组件"). */
export function createChoices(locale: Locale, actions: ChatActions, buttons: readonly Node[]): ChoicesPart {
  const mode = createElement("select", { id: "mode_selector", "aria-describedby": "mode_help" });
  for (const each of modes) {
    const words = { value: each, title: say(locale, modeHelp[each]) };
    mode.append(createElement("option", words, say(locale, modeNames[each])));
  }
  const search = createElement("input", {
    type: "checkbox",
    role: "switch",
    id: "search_switch",
    "aria-describedby": "search_help",
  });
  const searchLabel = createElement(
    "label",
    { class: "switch search", "data-brief": say(locale, chatTexts.searchBrief) },
    search,
    " ",
    createElement("span", { class: "words" }, say(locale, chatTexts.search)),
  );
  const modeLabel = createElement(
    "label",
    { class: "field mode" },
    createElement("span", {}, say(locale, modeTitle)),
    mode,
  );
  const modeHint = createElement("span", { class: "hint", id: "mode_help" });
  const searchHint = createElement("span", { class: "hint", id: "search_help" });
  const hints = createElement("p", { class: "hints" }, modeHint, " ", searchHint);

  const models = createModelSettings(locale, actions);
  const more = models.element;
  const open = createElement(
    "button",
    { type: "button", class: "open-settings", "aria-expanded": "false", "aria-controls": "more_settings" },
    createElement("span", { class: "words" }, say(locale, chatTexts.moreSettings)),
  );
  const toggle = (isOpen: boolean): void => {
    setShown(more, isOpen);
    open.setAttribute("aria-expanded", String(isOpen));
  };
  open.addEventListener("click", () => toggle(more.hasAttribute("hidden")));
  mode.addEventListener("change", () => {
    const chosen = modes.find((each) => each === mode.value);
    if (chosen !== undefined) actions.chooseMode(chosen);
  });
  search.addEventListener("change", () => actions.chooseSearch(search.checked));

  const controls = createElement("div", { class: "controls" }, modeLabel, searchLabel, open, ...buttons);
  const whole = createElement("section", { class: "settings", "aria-label": say(locale, chatTexts.settings) });
  whole.append(controls, hints, more);
  return {
    element: whole,
    show(chat) {
      const { choices, settings } = chat;
      mode.value = choices.mode;
      setText(modeHint, say(locale, modeHelp[choices.mode]));
      const isBarred = settings?.search.available === false;
      const why = searchWhy(chat, locale);
      search.checked = choices.mode === "chat" && choices.search && !isBarred;
      search.disabled = why !== "";
      searchLabel.title = why;
      setText(searchHint, why);
      setShown(searchHint, why !== "");
      models.show(chat);
    },
    check() {
      const wrong = models.wrong();
      if (wrong === undefined) return true;
      toggle(true);
      wrong.focus();
      return false;
    },
    close() {
      if (more.hasAttribute("hidden")) return false;
      toggle(false);
      open.focus();
      return true;
    },
  };
}

/** Why the switch cannot be moved; empty where it can (web-search.md, "Agent 模式搜索开关"). */
function searchWhy({ choices: { mode }, settings }: ChatState, locale: Locale): string {
  if (mode !== "chat") return describeSearchChoice(mode, locale);
  return settings?.search.available === false ? say(locale, searchBarred[settings.search.reason]) : "";
}
