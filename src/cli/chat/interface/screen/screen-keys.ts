import type { Text } from "../../../../kit/locale.ts";
import { toShortLine } from "../../../../kit/text/sanitize.ts";
import type { Editor } from "../../../terminal/editor/editor.ts";
import type { EditedText } from "../../../terminal/editor/external-editor.ts";
import type { Folds } from "../../../terminal/editor/folds.ts";
import type { Key } from "../../../terminal/keys/key.ts";
import { type KeyInput, type KeyReading, readKeys } from "../../../terminal/keys/read-keys.ts";
import { suspendProcess } from "../../../terminal/keys/suspend-process.ts";
import type { OpenScreen } from "../../../terminal/screen/screen.ts";
import { isCommandText } from "../../run-command.ts";
import type { ChatHandler } from "../chat-interface.ts";
import type { InputQueue } from "../input-queue.ts";
import type { Interrupts } from "./interrupts.ts";
import type { Notifier } from "./notifier.ts";
import type { Panel, TypingAhead } from "./picker.ts";
import type { QuestionPanels } from "./question-panels.ts";

export interface ScreenKeysOptions {
  stdin: KeyInput;
  handler: Pick<ChatHandler, "stop" | "expand" | "offered" | "message" | "takeMessages">;
  editor: Editor;
  /** Holds what the labels in submitted texts stand for. */
  folds: Pick<Folds, "expand" | "collapse">;
  /** Takes what is submitted. */
  queue: InputQueue;
  questions: Pick<QuestionPanels, "panel">;
  interrupts: Interrupts;
  typingAhead: TypingAhead;
  notifier: Pick<Notifier, "noteKey" | "setFocus">;
  /** Is true when a question would now appear without the reader's request. */
  isRunShown(): boolean;
  screen: Pick<OpenScreen, "refreshNow" | "suspend" | "resume">;
  /** Has a text edited by another program, while the terminal is given back. */
  edit(text: string): Promise<EditedText>;
  /** Shows a line. */
  report(line: Text): void;
  /** Ends the input when the user leaves, or the terminal is gone. */
  onEnd(): void;
}

export interface ScreenKeys extends KeyReading {
  /** Has a text edited outside, and puts what comes of it into the input. */
  editText(text: string): Promise<void>;
}

/** Passes each key of a chat's screen to what it is for: the question that stands there, the input, or the chat. */
export function readScreenKeys(options: ScreenKeysOptions): ScreenKeys {
  const { stdin, handler, editor, folds, queue, questions, interrupts, typingAhead, screen, onEnd: end } = options;
  let keys = readKeys(stdin, press, end);
  let isOpen = true;
  let isDrawing = false;
  /** Settles when the editor that is open has ended. */
  let editing: Promise<void> | undefined;

  /** Draws one frame for all keys that arrived together. */
  function draw(): void {
    if (isDrawing) return;
    isDrawing = true;
    queueMicrotask(() => {
      isDrawing = false;
      screen.refreshNow();
    });
  }

  function press(key: Key): void {
    if (key.name === "focus-in" || key.name === "focus-out") {
      options.notifier.setFocus(key.name === "focus-in");
      return;
    }
    options.notifier.noteKey();
    const { panel } = questions;
    const isAhead = typingAhead.isAhead(panel, editor.text) && options.isRunShown();
    if (key.ctrl && key.text === "c") interrupt();
    else if (panel && !isAhead) pressIn(panel, key);
    else type(key);
    draw();
  }

  /** Sends a key to the panel. A key that the panel does not know must not change the text behind it. */
  function pressIn(panel: Panel, key: Key): void {
    interrupts.forget();
    if (!panel.press(key)) handleCommandKey(key);
  }

  function type(key: Key): void {
    interrupts.forget();
    if (isQueueing(key)) {
      const submitted = editor.press({ ...key, name: "enter" });
      if (submitted.result === "submit") queue.push(submitted.text);
      return;
    }
    const pressed = editor.press(key);
    if (pressed.result === "submit") submit(pressed.text);
    if (pressed.result === "unused") handleCommandKey(key);
  }

  function handleCommandKey(key: Key): void {
    if (key.name === "escape") stop();
    if (key.ctrl && key.text === "z") suspendProcess({ suspend, resume });
    if (key.ctrl && key.text === "o") handler.expand();
    if (key.ctrl && key.text === "x" && questions.panel === undefined) void editText(editor.text);
    if (key.ctrl && key.text === "g" && handler.offered !== undefined) submit(handler.offered);
    if (key.ctrl && key.text === "d" && editor.text === "") end();
  }

  function submit(text: string): void {
    if (text.trim() !== "" && !handler.message(folds.expand(text))) queue.push(text);
  }

  /** Tab leaves a text for after the run, unless it completes a command or the name of a file. */
  function isQueueing({ name, ctrl, alt, shift }: Key): boolean {
    if (name !== "tab" || ctrl || alt || shift || !options.isRunShown()) return false;
    return editor.text.trim() !== "" && !/^\/|(^|\s)@\S*$/.test(editor.text);
  }

  function suspend(): void {
    screen.suspend();
    keys.close();
  }

  function resume(): void {
    if (!isOpen) return;
    keys = readKeys(stdin, press, end);
    screen.resume();
  }

  /** Two editors at once would share the terminal. */
  function editText(text: string): Promise<void> {
    editing ??= openEditor(text).finally(() => {
      editing = undefined;
    });
    return editing;
  }

  /** Gives the terminal to an editor of the user's own. Labels become what they stand for, which can be edited. */
  async function openEditor(text: string): Promise<void> {
    suspend();
    const edited = await options.edit(folds.expand(text));
    resume();
    if ("text" in edited) editor.set(edited.text);
    else options.report(edited.problem);
    draw();
  }

  /** Stops the current run or command. Queued texts were meant to follow it, so they return to the input. */
  function stop(): boolean {
    // What nothing stops keeps its messages: they are asked once it has ended.
    if (!handler.stop()) return false;
    const said = handler.takeMessages().map(folds.collapse);
    const waited = queue.takeAll();
    // Two commands, or a command among messages, would be one text in the input, and no command any more.
    const left = said.length + waited.length > 1 ? waited.filter(isCommand) : [];
    const texts = [...said, ...waited.filter((text) => !left.includes(text)), editor.text];
    if (left.length > 0) options.report(describeNotRun(left));
    editor.set(texts.filter((text) => text !== "").join("\n"));
    return true;
  }

  function interrupt(): void {
    if (stop()) return;
    if (editor.text !== "") editor.set("");
    else if (interrupts.isSecond()) end();
  }

  return {
    editText,
    close() {
      isOpen = false;
      keys.close();
    },
  };
}

function isCommand(text: string): boolean {
  return text.trim().startsWith("!") || isCommandText(text);
}

function describeNotRun(commands: readonly string[]): Text {
  const shown = commands.map((command) => toShortLine(command, 60));
  return {
    zh: `没有执行：${shown.join("、")}（按 Up 从历史中取回）`,
    en: `Not run: ${shown.join(", ")} (Up brings them back)`,
  };
}
