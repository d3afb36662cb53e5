import { createTypedLine } from "../chat/interface/plain/typed-line.ts";
import type { Console } from "../console.ts";
import { writeSafely } from "../console.ts";
import type { Key } from "../terminal/keys/key.ts";
import { readKeys } from "../terminal/keys/read-keys.ts";
import { createLine, toPlainText } from "../terminal/text/line.ts";
import { countCells } from "../terminal/text/width.ts";
import { wrapLine } from "../terminal/text/wrap.ts";

/** Asks one question after the other in plain lines, on any terminal. Escape, Ctrl-C and Ctrl-D leave it. */
export interface TypedDialog {
  /** Aborts when the person leaves, also while something is waited for. */
  readonly signal: AbortSignal;
  write(line: string): void;
  /** Returns the line that is typed after the query, without the blanks around it. Rejects when the person leaves. */
  ask(query: string): Promise<string>;
  /** Does the same for a secret, of which only its length is shown. */
  askSecret(query: string): Promise<string>;
  /** Gives the terminal back. */
  close(): void;
}

/** Is the reason with which the signal of a dialog aborts. */
export class LeftDialog extends Error {
  override readonly name = "LeftDialog";
  /** Is true for Ctrl-C, and where the terminal is gone. */
  readonly isInterrupt: boolean;

  constructor(isInterrupt: boolean) {
    super("the dialog was left");
    this.isInterrupt = isInterrupt;
  }
}

/** Stands for the width of a terminal that does not tell it. */
const usualColumns = 80;

interface Question {
  isSecret: boolean;
  resolve(line: string): void;
}

/** Opens the dialog, which takes the keys of the terminal until it is closed. */
export function openTypedDialog({ stdin, stdout }: Pick<Console, "stdin" | "stdout">, outer: AbortSignal): TypedDialog {
  const left = new AbortController();
  const signal = AbortSignal.any([left.signal, outer]);
  let question: Question | undefined;
  const line = createTypedLine({
    echo(text) {
      if (question === undefined) return;
      stdout.write(question.isSecret && !text.startsWith("\b") ? "•".repeat(countCells(text)) : text);
    },
    refuse() {},
  });
  const leave = (isInterrupt: boolean): void => left.abort(new LeftDialog(isInterrupt));

  function press(key: Key): void {
    const control = key.name === "text" && key.ctrl ? key.text : "";
    if (key.name === "escape" || (control === "d" && line.text === "")) leave(false);
    else if (control === "c") leave(true);
    // What is typed while nothing is asked answers no question.
    else if (question === undefined) return;
    else if (key.name === "enter" || control === "j") {
      const { resolve } = question;
      question = undefined;
      stdout.write("\n");
      resolve(line.takeText().trim());
    } else line.press(key);
  }

  const keys = readKeys(stdin, press, () => leave(true));

  async function askLine(query: string, isSecret: boolean): Promise<string> {
    signal.throwIfAborted();
    line.drop();
    writeSafely(stdout, query);
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const stop = (): void => reject(signal.reason);
    signal.addEventListener("abort", stop, { once: true });
    question = { isSecret, resolve };
    try {
      return await promise;
    } catch (thrown) {
      stdout.write("\n");
      throw thrown;
    } finally {
      question = undefined;
      signal.removeEventListener("abort", stop);
    }
  }

  return {
    signal,
    write(text) {
      const lines = wrapLine(createLine(text), stdout.columns || usualColumns);
      writeSafely(stdout, lines.map((each) => `${toPlainText(each)}\n`).join(""));
    },
    ask: (query) => askLine(query, false),
    askSecret: (query) => askLine(query, true),
    close: keys.close,
  };
}
