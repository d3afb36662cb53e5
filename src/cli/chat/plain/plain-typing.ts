import { type Output, writeSafely } from "../../console.ts";
import type { Reader } from "../../questions/reader.ts";
import type { InputHistory } from "../../terminal/editor/menu.ts";
import { renderTooLong } from "../../terminal/editor/too-long.ts";
import type { Key } from "../../terminal/keys/key-sequences.ts";
import { type KeyInput, readKeys } from "../../terminal/keys/read-keys.ts";
import { toPlainText } from "../../terminal/text/width.ts";
import type { ChatHandler } from "../answer-question.ts";
import { createTypedLine } from "./typed-line.ts";

/** What is typed at a terminal of plain lines, and the prompt or question before it. */
export interface PlainTyping {
  /** Whether a question stands there. */
  readonly isAsking: boolean;
  ask: Reader["ask"];
  /** Shows the prompt, behind it what is half typed. */
  show(prompt: string): void;
  /** Another prompt stands there from now on, if one does. */
  refresh(prompt: string): void;
  /** Shows a line that was typed before its prompt. */
  echo(prompt: string, text: string): void;
  /** Lets something be written on lines of its own, and shows again what stood there. */
  aside(write: () => void): void;
  drop(): void;
  /** Nobody types any more. */
  end(): void;
  close(): void;
}

export interface PlainTypingOptions {
  console: BareInputOptions["console"];
  handler: Pick<ChatHandler, "complete" | "locale" | "stop">;
  history?: InputHistory | undefined;
  /** A line that answers no question. */
  submit(text: string): void;
  interrupt(): void;
  end(): void;
  write(line: string): void;
}

export function createPlainTyping(options: PlainTypingOptions): PlainTyping {
  const { console, handler, history, submit, interrupt, write } = options;
  let prompt = "";
  let hasEnded = false;
  /** Lines of a text that goes on. */
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
    end: options.end,
  });

  /** A backslash at its end: the next line belongs to it. */
  function takeLine(text: string, isSeen: boolean): void {
    const whole = begun + text;
    begun = whole.endsWith("\\") ? `${whole.slice(0, -1)}\n` : "";
    if (begun === "") submitWhole(whole);
    else if (isSeen) show("… ");
  }

  /** What answers a question is not kept: it may be for one server alone. */
  function submitWhole(text: string): void {
    if (text.trim() !== "") history?.add(text);
    submit(text);
  }

  /** The only completion there is; of several, all are shown. */
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

  function aside(work: () => void): void {
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
    aside,
    drop() {
      begun = "";
      input.drop();
    },
    end() {
      hasEnded = true;
      reply?.(undefined);
    },
    close: () => input.close(),
  };
}

const mostShown = 20;

/** What is typed at a terminal that is only ever written to at its end: no escape sequence is sent. */
interface BareInput {
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

interface BareInputOptions {
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
