import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Text } from "../../../../kit/locale.ts";
import { type ChatState, findActiveTurn } from "../state/chat-state.ts";
import { chatTexts, describeTooLong } from "../state/chat-texts.ts";
import { Choices } from "./choices.tsx";
import { Icon } from "./icon.tsx";
import { findWrongParameter } from "./model-settings.tsx";
import { usePage, useSay } from "./page-model.ts";

/** Limits a question to what the server accepts, in characters. */
const longestQuestion = 100_000;

/** Shows the field for a question and what is sent with it. */
export function Composer() {
  const { chat, draft, settings, actions, message } = usePage();
  const say = useSay();
  const [hasTried, setTried] = useState(false);
  const isGoing = findActiveTurn(chat.value) !== undefined;
  const text = draft.value;

  const sendText = (): void => {
    const trimmed = draft.peek().trim();
    setTried(trimmed !== "");
    if (trimmed === "" || trimmed.length > longestQuestion) return;
    const wrong = findWrongParameter();
    if (wrong !== undefined) {
      settings.value = true;
      // The field can be focused once it is in sight.
      return void requestAnimationFrame(() => wrong.focus());
    }
    if (!actions.send(trimmed)) return;
    setTried(false);
    draft.value = "";
    message.current?.focus();
  };
  const handleKey = (event: KeyboardEvent): void => {
    if (event.key === "ArrowUp" && text === "" && !event.isComposing) {
      event.preventDefault();
      draft.value = findLastQuestion(chat.value);
    }
    if (!isPlainEnter(event)) return;
    event.preventDefault();
    sendText();
  };
  useFittingHeight(message, text);
  const word = explainHeld(text, isGoing && hasTried);
  return (
    <form
      class="composer"
      aria-label={say(chatTexts.message)}
      onSubmit={(event) => {
        event.preventDefault();
        sendText();
      }}
    >
      <textarea
        ref={message}
        class="message"
        id="message"
        dir="auto"
        rows={1}
        placeholder={say(chatTexts.messagePlace)}
        aria-describedby="message_word"
        aria-label={say(chatTexts.message)}
        value={text}
        onInput={({ currentTarget }) => {
          setTried(false);
          draft.value = currentTarget.value;
        }}
        onKeyDown={handleKey}
      />
      <p class="message-word" id="message_word" role="status" hidden={word === undefined}>
        {word === undefined ? "" : say(word)}
      </p>
      <Choices>{isGoing ? <StopButton /> : <SendButton isEmpty={text.trim() === ""} />}</Choices>
    </form>
  );
}

function SendButton({ isEmpty }: { readonly isEmpty: boolean }) {
  const say = useSay();
  return (
    <button
      type="submit"
      class="send primary"
      data-empty={isEmpty}
      aria-label={say(chatTexts.send)}
      title={say(chatTexts.send)}
    >
      <Icon name="up" />
    </button>
  );
}

function StopButton() {
  const { chat, actions, message } = usePage();
  const say = useSay();
  const key = findActiveTurn(chat.value)?.key;
  const [asked, setAsked] = useState<string | undefined>(undefined);
  const isStopping = asked === key && chat.value.problem === "";
  const button = useRef<HTMLButtonElement>(null);
  // A focus that would vanish with its button goes where the next question is written.
  useLayoutEffect(
    () => () => {
      if (document.activeElement === button.current || document.activeElement === document.body)
        message.current?.focus();
    },
    [],
  );
  return (
    <button
      type="button"
      ref={button}
      class="stop"
      aria-disabled={isStopping}
      aria-label={say(isStopping ? chatTexts.stopping : chatTexts.stop)}
      title={say(isStopping ? chatTexts.stopping : chatTexts.stop)}
      onClick={() => {
        setAsked(key);
        actions.stop();
      }}
    >
      <Icon name="stop" />
    </button>
  );
}

/** Says why a text is not sent. */
function explainHeld(text: string, waits: boolean): Text | undefined {
  const { length } = text.trim();
  if (length > longestQuestion) return describeTooLong(length, longestQuestion);
  return waits ? chatTexts.runGoes : undefined;
}

/** Browsers without `field-sizing` are told the height. */
function useFittingHeight(field: { readonly current: HTMLTextAreaElement | null }, text: string): void {
  useLayoutEffect(() => {
    const { current } = field;
    if (current === null || CSS.supports("field-sizing", "content")) return;
    current.style.height = "auto";
    current.style.height = `${current.scrollHeight}px`;
  }, [text]);
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
