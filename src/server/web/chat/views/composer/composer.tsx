import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Text } from "../../../../../kit/locale.ts";
import type { AttachedFile } from "../../api/api.ts";
import { isKnownCommand } from "../../state/chat-commands.ts";
import { type ChatState, findActiveTurn } from "../../state/chat-state.ts";
import { chatTexts } from "../../state/chat-texts.ts";
import { canCarryFiles, enterHints, findEnterEffect, findTooLong } from "../../state/enter-effect.ts";
import { turnTexts } from "../../state/turn-texts.ts";
import type { SendResult } from "../chat-actions.ts";
import { Icon } from "../controls/icon.tsx";
import { usePage, useSay } from "../page-model.ts";
import { AttachButton, Attachments, addFiles, findFileProblem, hasFiles } from "./attachments.tsx";
import { Choices } from "./choices.tsx";
import { findWrongParameter } from "./model-settings.tsx";
import { Queue } from "./queue.tsx";
import { UnsentTexts } from "./unsent.tsx";

/** Is a text that was not sent, and why. */
type HeldText = Extract<SendResult, { kind: "held" }> & { readonly text: string };

/** Shows the field for a question and what is sent with it. */
export function Composer() {
  const page = usePage();
  const { chat, draft, files, unreadable, settings, actions, message } = page;
  const say = useSay();
  const [lastHeld, setLastHeld] = useState<HeldText | undefined>(undefined);
  /** Holds the files that were to be sent alone. */
  const [wordless, setWordless] = useState<readonly AttachedFile[] | undefined>(undefined);
  const isGoing = page.isGoing.value;
  const effect = findEnterEffect(chat.value);
  const text = draft.value;
  const limits = chat.value.settings?.attachments;
  /** Says why this text was not sent, and whether the person who sends it again is sure; other texts may stand here meanwhile. */
  const held = lastHeld?.text === text.trim() ? lastHeld : undefined;

  const sendText = (isQueued = false): void => {
    const trimmed = draft.peek().trim();
    setWordless(trimmed === "" && files.value.length > 0 ? files.value : undefined);
    if (trimmed === "" || findTooLong(trimmed, isQueued ? "wait" : effect) !== undefined) return;
    // What is told to a run or to the page is words; files wait for the next question.
    const isQuestion = (canCarryFiles(effect) || isQueued) && !isKnownCommand(trimmed);
    if (isQuestion && limits !== undefined && findFileProblem(files.value, limits) !== undefined) return;
    const wrong = findWrongParameter();
    if (wrong !== undefined) {
      settings.value = true;
      // The field can be focused once it is in sight.
      requestAnimationFrame(() => wrong.focus());
      return;
    }
    const result = actions.send(trimmed, { files: files.value, isSure: held?.isSentAgain === true, isQueued });
    setLastHeld(result.kind === "held" ? { ...result, text: trimmed } : undefined);
    if (result.kind === "held") return;
    draft.value = "";
    unreadable.value = [];
    // What is drawn may be a frame behind what the text was sent by.
    if (result.hasFiles) files.value = [];
    message.current?.focus();
  };
  /** Says what becomes of the files where Enter does not send them. */
  const explainFiles = (): Text | undefined => {
    if (files.value.length === 0) return undefined;
    if (text.trim() === "") return wordless === files.value ? turnTexts.filesWantWords : undefined;
    return canCarryFiles(effect) ? undefined : turnTexts.filesStay;
  };
  const handleKey = (event: KeyboardEvent): void => {
    if (event.key === "ArrowUp" && text === "" && !event.isComposing) {
      event.preventDefault();
      draft.value = findLastQuestion(chat.value);
    }
    if (!isPlainEnter(event)) return;
    event.preventDefault();
    sendText(event.altKey);
  };
  useFittingHeight(message, text);
  // What waits for the end of a run is held no longer than it goes on.
  const heldWord = isGoing || held?.isSentAgain === true ? held?.reason : undefined;
  const word = findTooLong(text, effect) ?? heldWord ?? explainFiles();
  return (
    <form
      class="composer"
      aria-label={say(chatTexts.message)}
      onSubmit={(event) => {
        event.preventDefault();
        sendText();
      }}
    >
      <UnsentTexts />
      <Queue />
      <Attachments />
      <textarea
        ref={message}
        class="message"
        id="message"
        dir="auto"
        rows={1}
        placeholder={say(enterHints[effect])}
        aria-describedby="message_word"
        aria-label={say(chatTexts.message)}
        value={text}
        onInput={({ currentTarget }) => {
          setLastHeld(undefined);
          setWordless(undefined);
          draft.value = currentTarget.value;
        }}
        onKeyDown={handleKey}
        onPaste={(event) => {
          if (!hasFiles(event.clipboardData)) return;
          event.preventDefault();
          void addFiles(event.clipboardData.files, page);
        }}
      />
      <p class="message-word" id="message_word" role="status" hidden={word === undefined}>
        {word === undefined ? "" : say(word)}
      </p>
      <Choices first={<AttachButton />}>
        {isGoing && text.trim() !== "" && (
          <button
            type="button"
            class="queue-it"
            title={`${say(turnTexts.queue)} (Alt+Enter)`}
            onClick={() => sendText(true)}
          >
            {say(turnTexts.queue)}
          </button>
        )}
        {isGoing ? <StopButton /> : <SendButton isEmpty={text.trim() === ""} />}
      </Choices>
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
  const isStopping = findActiveTurn(chat.value)?.isStopping === true;
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
      onClick={() => void actions.stop()}
    >
      <Icon name="stop" />
    </button>
  );
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
