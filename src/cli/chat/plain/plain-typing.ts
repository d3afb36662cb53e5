import { type Output, writeSafely } from "../../console.ts";
import type { Reader } from "../../questions/reader.ts";
import type { InputHistory } from "../../terminal/editor/editor.ts";
import { renderTooLong } from "../../terminal/editor/typing.ts";
import type { Key } from "../../terminal/keys/key.ts";
import { type KeyInput, readKeys } from "../../terminal/keys/read-keys.ts";
import { toPlainText } from "../../terminal/text/line.ts";
import type { ChatHandler } from "../chat-interface.ts";
import { createTypedLine } from "./typed-line.ts";

/** Manages what is typed at a terminal of plain lines, and the prompt or question before it. */
export interface PlainTyping {
  readonly isAsking: boolean;
  ask: Reader["ask"];
  /** Shows the prompt, behind it what is half typed. */
  show(prompt: string): void;
  /** Replaces the prompt, if one is shown. */
  refresh(prompt: string): void;
  /** Shows a line that was typed before its prompt. */
  echo(prompt: string, text: string): void;
  /** Lets something be written on lines of its own, and shows again what stood there. */
  writeAbove(write: () => void): void;
  drop(): void;
  /** Ends the input when nobody types any more. */
  endInput(): void;
  close(): void;
}

export interface PlainTypingOptions {
  console: BareInputOptions["console"];
  handler: Pick<ChatHandler, "complete" | "locale" | "stop">;
  history?: InputHistory | undefined;
  /** Receives a line that does not answer a question. */
  submit(text: string): void;
  interrupt(): void;
  onEnd(): void;
  write(line: string): void;
}

export function createPlainTyping(options: PlainTypingOptions): PlainTyping {
  const { console, handler, history, submit, interrupt, write } = options;
  let prompt = "";
  let hasEnded = false;
  /** Holds the earlier lines of a text that continues. */
  let begun = "";
  let reply: ((text: string | undefined) => void) | undefined;
  const input: BareInput = createBareInput({
    console,
    history,
    submit(text, isSeen) {
      if (reply && isSeen) reply(text);
      else takeLine(text, isSeen);
    },
    complete,
    refuse: (units) => write(toPlainText(renderTooLong(units, handler.locale, Number.POSITIVE_INFINITY))),
    interrupt,
    onEnd: options.onEnd,
  });

  /** Takes a line. A backslash at its end joins the next line to it. */
  function takeLine(text: string, isSeen: boolean): void {
    const whole = begun + text;
    begun = whole.endsWith("\\") ? `${whole.slice(0, -1)}\n` : "";
    if (begun === "") submitWhole(whole);
    else if (isSeen) show("… ");
  }

  /** Submits a text and adds it to the history. Replies to questions are not added: they may be meant for one server alone. */
  function submitWhole(text: string): void {
    if (text.trim() !== "") history?.add(text);
    submit(text);
  }

  /** Returns the completion if there is only one. If there are several, all are shown. */
  async function complete(text: string): Promise<string | undefined> {
    if (reply) return undefined;
    const found = await handler.complete(text);
    if (!found || found.completions.length === 0) return undefined;
    const [first, ...others] = found.completions;
    if (others.length === 0) return text.slice(0, found.from) + (first?.text ?? "");
    for (const { text: choice, help } of found.completions.slice(0, mostShown))
      write(help === undefined ? choice : `${choice}  ${help}`);
    return undefined;
  }

  function show(text: string): void {
    prompt = text;
    input.show(text);
  }

  function writeAbove(work: () => void): void {
    const stood = input.leave();
    if (stood) writeSafely(console.stdout, "\n");
    work();
    if (stood) input.show(prompt);
  }

  return {
    get isAsking() {
      return reply !== undefined;
    },
    ask(query, signal) {
      if (signal.aborted) return Promise.reject(signal.reason);
      // With nobody left to ask, what goes on is for nobody.
      if (hasEnded) return Promise.resolve(undefined);
      const putBack = input.setAside();
      const { promise, resolve, reject } = Promise.withResolvers<string | undefined>();
      const stop = (): void => reject(signal.reason);
      signal.addEventListener("abort", stop, { once: true });
      reply = resolve;
      show(query);
      return promise.finally(() => {
        reply = undefined;
        input.leave();
        signal.removeEventListener("abort", stop);
        putBack();
      });
    },
    show,
    refresh(text) {
      if (text === prompt || reply || !input.leave()) return;
      writeSafely(console.stdout, "\n");
      show(text);
    },
    echo: (before, text) => writeSafely(console.stdout, `${before}${text}\n`),
    writeAbove: writeAbove,
    drop() {
      begun = "";
      input.drop();
    },
    endInput() {
      hasEnded = true;
      reply?.(undefined);
    },
    close: () => input.close(),
  };
}

const mostShown = 20;

/** Reads what is typed at a terminal where text is only ever appended: no escape sequence is sent. */
interface BareInput {
  /** Shows the prompt, behind it what is half typed; from now on typing is seen. */
  show(prompt: string): void;
  /** Removes the prompt, and returns whether one was shown. */
  leave(): boolean;
  /** Puts away what is half typed, and returns a function that puts it back. */
  setAside(): () => void;
  /** Drops what is half typed. */
  drop(): void;
  close(): void;
}

interface BareInputOptions {
  console: { readonly stdin: KeyInput; readonly stdout: Output };
  /** Holds earlier input for the arrow keys. */
  history?: Pick<InputHistory, "entries"> | undefined;
  /** Receives a line that was ended with Enter. `isSeen` says whether a prompt was shown before it. */
  submit(text: string, isSeen: boolean): void;
  /** Resolves to what is to stand in place of the text. Never rejects. */
  complete(text: string): Promise<string | undefined>;
  /** Reports that more was typed than a line may hold. The excess is left out. */
  refuse(units: number): void;
  /** Handles Ctrl-C. */
  interrupt(): void;
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
