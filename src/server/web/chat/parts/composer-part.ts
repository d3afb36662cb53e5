import { type Locale, say, type Text } from "../../../../kit/locale.ts";
import { createElement, type Part, setShown, setText } from "../../dom.ts";
import { type ChatState, findActiveTurn } from "../state/chat-state.ts";
import { chatTexts, describeTooLong } from "../state/chat-texts.ts";
import type { Drafts } from "../storage/drafts.ts";
import { createButton } from "./ask-part.ts";
import type { ChatActions } from "./chat-actions.ts";
import { type ChoicesPart, createChoices } from "./choices-part.ts";
import { findLastQuestion, isPlainEnter } from "./composer-keys.ts";

export interface ComposerPart extends Part<ChatState>, Pick<ChoicesPart, "close"> {
  /** What is written and not sent. */
  draft: string;
  focus(): void;
}

/** What the server takes of a question, in characters. */
const longestQuestion = 100_000;

/** Where a question is written, and what it is to go along with. */
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

  const tell = (): void => {
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
    tell();
  };
  const submit = (): void => {
    const text = message.value.trim();
    hasTried = text !== "";
    tell();
    if (isGoing || !hasTried || text.length > longestQuestion || !choices.check() || !actions.send(text)) return;
    hasTried = false;
    write("");
    message.focus();
  };
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    submit();
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
    submit();
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
      tell();
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
