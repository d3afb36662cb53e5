import { type Locale, say, type Text } from "../../../../kit/locale.ts";
import { sanitizeLine } from "../../../../kit/text/sanitize.ts";
import { describeSearchChoice, modeHelp, modeNames, modes, modeTitle } from "../../../../render/mode-names.ts";
import { createButton, createElement, type Part, setShown, setText } from "../../dom.ts";
import { type ChatState, findActiveTurn } from "../state/chat-state.ts";
import { chatTexts, describeTooLong, searchBarred } from "../state/chat-texts.ts";
import type { Drafts } from "../storage/drafts.ts";
import type { ChatActions } from "./chat-actions.ts";
import { createModelSettings } from "./model-settings.ts";

export interface ComposerPart extends Part<ChatState>, Pick<ChoicesPart, "close"> {
  /** Holds the text that has not been sent yet. */
  draft: string;
  focus(): void;
}

/** Limits a question to what the server accepts, in characters. */
const longestQuestion = 100_000;

/** Creates the field for a question and the settings that are sent with it. */
export function createComposer(locale: Locale, actions: ChatActions, drafts: Drafts): ComposerPart {
  const words = { rows: "1", placeholder: say(locale, chatTexts.messagePlace), "aria-describedby": "message_word" };
  const message = createElement("textarea", { class: "message", id: "message", dir: "auto", ...words });
  message.setAttribute("aria-label", say(locale, chatTexts.message));
  const word = createElement("p", { class: "message-word", id: "message_word", role: "status", hidden: "" });
  const send = createElement("button", { type: "submit", class: "send primary" }, say(locale, chatTexts.send));
  const stop = createButton(say(locale, chatTexts.stop), () => actions.stop(), "stop");
  const choices = createChoices(locale, actions, [stop, send]);
  const form = createElement(
    "form",
    { class: "composer", "aria-label": say(locale, chatTexts.message) },
    message,
    word,
    choices.element,
  );
  let shown: ChatState | undefined;
  let isGoing = false;
  let hasTried = false;
  let stopping: string | undefined;

  const reportText = (): void => {
    const { length } = message.value.trim();
    const wait: Text | undefined = isGoing && hasTried ? chatTexts.runGoes : undefined;
    const text = length > longestQuestion ? describeTooLong(length, longestQuestion) : wait;
    setText(word, text === undefined ? "" : say(locale, text));
    setShown(word, text !== undefined);
  };
  const write = (text: string): void => {
    if (message.value !== text) message.value = text;
    message.style.height = "auto";
    message.style.height = `${message.scrollHeight}px`;
    drafts.write(text);
    reportText();
  };
  const sendText = (): void => {
    const text = message.value.trim();
    hasTried = text !== "";
    reportText();
    if (!hasTried || text.length > longestQuestion || !choices.check() || !actions.send(text)) return;
    hasTried = false;
    write("");
    message.focus();
  };
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    sendText();
  });
  message.addEventListener("input", () => {
    hasTried = false;
    write(message.value);
  });
  message.addEventListener("keydown", (event) => {
    if (event.key === "ArrowUp" && message.value === "" && !event.isComposing && shown !== undefined) {
      event.preventDefault();
      write(findLastQuestion(shown));
    }
    if (!isPlainEnter(event)) return;
    event.preventDefault();
    sendText();
  });
  stop.addEventListener("click", () => {
    setText(stop, say(locale, chatTexts.stopping));
    stop.setAttribute("aria-disabled", "true");
  });
  return {
    element: form,
    close: choices.close,
    focus: () => message.focus(),
    get draft() {
      return message.value;
    },
    set draft(text) {
      write(text);
    },
    show(chat) {
      shown = chat;
      choices.show(chat);
      const draft = drafts.turnTo(chat, message.value);
      if (draft !== message.value) write(draft);
      const going = findActiveTurn(chat);
      isGoing = going !== undefined;
      reportText();
      if (going?.key !== stopping || chat.problem !== "") {
        stopping = going?.key;
        setText(stop, say(locale, chatTexts.stop));
        stop.removeAttribute("aria-disabled");
      }
      // A focus that would vanish with its button goes where the next question is written.
      const hadFocus = !isGoing && form.ownerDocument.activeElement === stop;
      setShown(stop, isGoing);
      setShown(send, !isGoing);
      if (hadFocus) message.focus();
    },
  };
}

/**
 * Returns true when the key sends the question. Enter does not send while it ends an input-method composition; in Safari only
 * the key code shows this.
 */
export function isPlainEnter({ key, shiftKey, isComposing, keyCode }: KeyboardEvent): boolean {
  return key === "Enter" && !shiftKey && !isComposing && keyCode !== 229;
}

/** Returns the last question of the shown conversation, or an empty string. */
export function findLastQuestion({ items, turns }: Pick<ChatState, "items" | "turns">): string {
  const last = items.findLast(({ key, kind }) => kind === "turn" && turns[key] !== undefined);
  return last === undefined ? "" : (turns[last.key]?.run.question ?? "");
}

interface ChoicesPart extends Part<ChatState> {
  /** Folds the models and parameters away; false where they are not in sight. */
  close(): boolean;
  /** Returns false when a parameter is invalid. That parameter is then shown and gets the focus. */
  check(): boolean;
}

/**
 * Creates the controls for the mode, the search switch, the models and their parameters
 * (docs/development/model-invocation.md#模式-ui-组件).
 */
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
  const setOpen = (isOpen: boolean): void => {
    setShown(more, isOpen);
    open.setAttribute("aria-expanded", String(isOpen));
  };
  open.addEventListener("click", () => setOpen(more.hasAttribute("hidden")));
  mode.addEventListener("change", () => {
    const chosen = modes.find((each) => each === mode.value);
    if (chosen === undefined) actions.chooseAgent(mode.value);
    else actions.chooseMode(chosen);
  });
  search.addEventListener("change", () => actions.chooseSearch(search.checked));

  const controls = createElement("div", { class: "controls" }, modeLabel, searchLabel, open, ...buttons);
  const whole = createElement("section", { class: "settings", "aria-label": say(locale, chatTexts.settings) });
  whole.append(controls, hints, more);
  return {
    element: whole,
    show(chat) {
      const { choices, settings } = chat;
      // Agents stand behind the modes; one that has left the configuration is not chosen any more.
      const agents = settings?.agents ?? [];
      if (mode.length !== modes.length + agents.length) {
        while (mode.length > modes.length) mode.lastChild?.remove();
        for (const name of agents) mode.append(createElement("option", { value: name }, sanitizeLine(name)));
      }
      mode.value = choices.agent ?? choices.mode;
      setText(modeHint, choices.agent ? "" : say(locale, modeHelp[choices.mode]));
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
      setOpen(true);
      wrong.focus();
      return false;
    },
    close() {
      if (more.hasAttribute("hidden")) return false;
      setOpen(false);
      open.focus();
      return true;
    },
  };
}

/** Explains why the switch is disabled, and is empty when it is enabled (docs/development/web-search.md#agent-模式搜索开关). */
function searchWhy({ choices: { mode }, settings }: ChatState, locale: Locale): string {
  if (mode !== "chat") return describeSearchChoice(mode, locale);
  return settings?.search.available === false ? say(locale, searchBarred[settings.search.reason]) : "";
}
