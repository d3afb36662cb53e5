import { type Output, writeSafely } from "../../../console.ts";
import type { InputHistory } from "../../../terminal/editor/editor.ts";
import type { Folds } from "../../../terminal/editor/folds.ts";
import type { Key } from "../../../terminal/keys/key.ts";
import { type KeyInput, readKeys } from "../../../terminal/keys/read-keys.ts";
import { createTypedLine } from "./typed-line.ts";

/** Reads what is typed at a terminal where text is only ever appended: no escape sequence is sent. */
export interface BareInput {
  /** Shows the prompt, behind it what is half typed; from now on typing is seen. */
  show(prompt: string): void;
  readonly isShown: boolean;
  /** Removes the prompt, and returns whether one was shown. */
  leave(): boolean;
  /** Puts away what is half typed, and returns a function that puts it back. */
  setAside(): () => void;
  /** Holds what is half typed. */
  readonly text: string;
  /** Puts a text in place of what is half typed, which stays where the text is too long. */
  set(text: string): void;
  /** Puts a text before what is half typed. */
  putBack(text: string): void;
  /** Gives the terminal back for a while; returns whether a prompt was shown. */
  suspend(): boolean;
  resume(): void;
  /** Drops what is half typed. */
  drop(): void;
  close(): void;
}

export interface BareInputOptions {
  console: { readonly stdin: KeyInput; readonly stdout: Output };
  /** Holds earlier input for the arrow keys. */
  history?: Pick<InputHistory, "entries"> | undefined;
  folds: Folds;
  /** Receives a line that was ended with Enter. `isSeen` says whether a prompt was shown before it. */
  submit(text: string, isSeen: boolean): void;
  /** Resolves to what is to stand in place of the text. Never rejects. */
  complete(text: string): Promise<string | undefined>;
  /** Reports that more was typed, or is to be put into the line, than it may hold. The excess is left out. */
  refuse(units: number): void;
  /** Handles Ctrl-C. */
  interrupt(): void;
  /** Handles Ctrl-X. */
  edit?(): void;
  /** Handles Ctrl-Z. */
  suspend(): void;
  /** Handles Ctrl-D on an empty line, and the loss of the terminal. */
  onEnd(): void;
}

/** Takes the keys of the terminal from now on, until it is closed. */
export function createBareInput(options: BareInputOptions): BareInput {
  const { console, history, submit, complete, interrupt, onEnd: end } = options;
  const { stdin, stdout } = console;
  /** Is true while a prompt is shown. What is typed at other times appears at the next prompt. */
  let isShown = false;
  const line = createTypedLine({
    history,
    folds: options.folds,
    echo(text) {
      if (isShown) stdout.write(text);
    },
    refuse: options.refuse,
  });

  function leave(): boolean {
    const stood = isShown;
    isShown = false;
    return stood;
  }

  function enter(): void {
    const isSeen = leave();
    if (isSeen) stdout.write("\n");
    submit(line.takeText(), isSeen);
  }

  async function completeInput(): Promise<void> {
    const before = line.text;
    const completed = await complete(before);
    if (completed !== undefined && line.text === before) line.set(completed);
  }

  function press(key: Key): void {
    const control = key.name === "text" && key.ctrl ? key.text : "";
    if (key.name === "enter" || control === "j") enter();
    else if (key.name === "tab") void completeInput();
    else if (control === "c") interrupt();
    else if (control === "x") options.edit?.();
    else if (control === "z") options.suspend();
    else if (control === "d" && line.text === "") end();
    else line.press(key);
  }

  let keys = readKeys(stdin, press, end);
  let isOpen = true;
  return {
    get text() {
      return line.text;
    },
    get isShown() {
      return isShown;
    },
    set: line.set,
    suspend() {
      const stood = leave();
      if (stood) stdout.write("\n");
      keys.close();
      return stood;
    },
    resume() {
      if (isOpen) keys = readKeys(stdin, press, end);
    },
    show(prompt) {
      isShown = true;
      writeSafely(stdout, prompt + line.text);
    },
    leave,
    setAside: line.setAside,
    putBack: (text) => line.set(text + line.text),
    drop: line.drop,
    close() {
      isOpen = false;
      leave();
      keys.close();
    },
  };
}
