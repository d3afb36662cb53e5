import { type Locale, say } from "../../../core/locale.ts";
import { element, type Part, setShown, setText } from "../dom.ts";
import { button } from "./ask-part.ts";
import type { ChatActions } from "./chat-actions.ts";
import { type ChatState, goingTurn } from "./chat-state.ts";
import { chatTexts } from "./chat-texts.ts";
import { type ChoicesPart, createChoices } from "./choices-part.ts";

export interface ComposerPart extends Part<ChatState>, Pick<ChoicesPart, "close"> {
  /** What is written and not sent. */
  draft: string;
  focus(): void;
}

/** Where a question is written, and what it is to go along with. */
export function createComposer(locale: Locale, actions: ChatActions): ComposerPart {
  const words = { rows: "1", maxlength: "100000", placeholder: say(locale, chatTexts.messagePlace) };
  const message = element("textarea", { class: "message", id: "message", dir: "auto", ...words });
  message.setAttribute("aria-label", say(locale, chatTexts.message));
  const send = element("button", { type: "submit", class: "send primary" }, say(locale, chatTexts.send));
  const stop = button(say(locale, chatTexts.stop), () => actions.stop(), "stop");
  const choices = createChoices(locale, actions, [stop, send]);
  const form = element(
    "form",
    { class: "composer", "aria-label": say(locale, chatTexts.message) },
    message,
    choices.element,
  );
  let isGoing = false;
  let stopping: string | undefined;

  const grow = (): void => {
    message.style.height = "auto";
    message.style.height = `${message.scrollHeight}px`;
  };
  const submit = (): void => {
    if (isGoing || message.value.trim() === "" || !actions.send(message.value.trim())) return;
    message.value = "";
    grow();
    message.focus();
  };
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    submit();
  });
  message.addEventListener("input", grow);
  message.addEventListener("keydown", (event) => {
    // An Enter that ends the choice of a character sends nothing; Safari tells that by the key's code alone.
    if (event.key !== "Enter" || event.shiftKey || event.isComposing || event.keyCode === 229) return;
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
      message.value = text;
      grow();
    },
    show(chat) {
      choices.show(chat);
      const going = goingTurn(chat);
      isGoing = going !== undefined;
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
