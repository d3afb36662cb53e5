import { type Output, writeSafely } from "../../console.ts";
import type { InputHistory } from "../../terminal/editor/editor.ts";
import type { Key } from "../../terminal/keys/key.ts";
import { type KeyInput, readKeys } from "../../terminal/keys/read-keys.ts";
import { createTypedLine } from "./typed-line.ts";

/** What is typed at a terminal that is only ever written to at its end: no escape sequence is sent. */
export interface BareInput {
  /** Shows the prompt, behind it what is half typed; from now on typing is seen. */
  show(prompt: string): void;
  /** No prompt stands there any more; gives whether one did. */
  leave(): boolean;
  /** Puts away what is half typed; what it gives puts it back. */
  setAside(): () => void;
  /** Drops what is half typed. */
  drop(): void;
  close(): void;
}

export interface BareInputOptions {
  console: { readonly stdin: KeyInput; readonly stdout: Output };
  /** What was typed before, for the arrow keys. */
  history?: Pick<InputHistory, "entries"> | undefined;
  /** A line was ended with Enter; `isSeen` is whether a prompt stood before it. */
  submit(text: string, isSeen: boolean): void;
  /** Gives what is to stand in place of the text. Never rejects. */
  complete(text: string): Promise<string | undefined>;
  /** More was typed than a line may hold; what is too much is left out. */
  refuse(units: number): void;
  /** Ctrl-C. */
  interrupt(): void;
  /** Ctrl-D on an empty line, or the terminal is gone. */
  end(): void;
}

/** Takes the keys of the terminal from now on, until it is closed. */
export function createBareInput(options: BareInputOptions): BareInput {
  const { console, history, submit, complete, interrupt, end } = options;
  const { stdin, stdout } = console;
  /** Whether a prompt stands there; what is typed meanwhile is seen at the next one. */
  let isShown = false;
  const line = createTypedLine({
    history,
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
    submit(line.take(), isSeen);
  }

  async function tab(): Promise<void> {
    const before = line.text;
    const completed = await complete(before);
    if (completed !== undefined && line.text === before) line.set(completed);
  }

  function press(key: Key): void {
    const control = key.name === "text" && key.ctrl ? key.text : "";
    if (key.name === "enter" || control === "j") enter();
    else if (key.name === "tab") void tab();
    else if (control === "c") interrupt();
    else if (control === "d" && line.text === "") end();
    else line.press(key);
  }

  const keys = readKeys(stdin, press, end);
  return {
    show(prompt) {
      isShown = true;
      writeSafely(stdout, prompt + line.text);
    },
    leave,
    setAside: line.setAside,
    drop: line.drop,
    close() {
      leave();
      keys.close();
    },
  };
}
