import { waitAbortable } from "../../../../kit/async/timeout.ts";
import { say } from "../../../../kit/locale.ts";
import { sanitizeLine } from "../../../../kit/text/sanitize.ts";
import { writeSafely } from "../../../console.ts";
import type { Reader } from "../../../questions/reader.ts";
import { mostTyped } from "../../../terminal/editor/buffer.ts";
import type { InputHistory } from "../../../terminal/editor/editor.ts";
import { editExternally } from "../../../terminal/editor/external-editor.ts";
import { createFolds } from "../../../terminal/editor/folds.ts";
import { renderTooLong } from "../../../terminal/editor/typing.ts";
import { suspendProcess } from "../../../terminal/keys/suspend-process.ts";
import { toPlainText } from "../../../terminal/text/line.ts";
import type { ChatHandler } from "../chat-interface.ts";
import { type BareInput, type BareInputOptions, createBareInput } from "./bare-input.ts";

/** Manages what is typed at a terminal of plain lines, and the prompt or question before it. */
export interface PlainTyping {
  readonly isAsking: boolean;
  /** Settles when the editor that has the terminal has ended; undefined where none has it. */
  readonly editing: Promise<void> | undefined;
  ask: Reader["ask"];
  /** Shows the prompt, behind it what is half typed. */
  show(prompt: string): void;
  /** Replaces the prompt, if one is shown. */
  refresh(prompt: string): void;
  /** Shows a line that was typed before its prompt. */
  echo(prompt: string, text: string): void;
  /** Lets something be written on lines of its own, and shows again what stood there. */
  writeAbove(write: () => void): void;
  /** Opens what is half typed, or this text, in an editor of the user's own, and puts what comes of it in its place. */
  edit(text?: string): Promise<void>;
  /** Puts a text into the line where nothing is typed; it is shown with the next prompt. */
  prefill(text: string): void;
  /** Puts a text before what is half typed; it is shown with the next prompt. Where both are too long together, nothing changes. */
  putBack(text: string): void;
  drop(): void;
  /** Ends the input when nobody types any more. */
  endInput(): void;
  close(): void;
}

export interface PlainTypingOptions {
  console: BareInputOptions["console"];
  handler: Pick<ChatHandler, "complete" | "locale" | "stop">;
  history?: InputHistory | undefined;
  /** Names the editor of the user's own. */
  environment: Readonly<Record<string, string | undefined>>;
  /** Ends the editor. */
  signal: AbortSignal;
  /** Receives a line that does not answer a question. */
  submit(text: string): void;
  interrupt(): void;
  onEnd(): void;
  write(line: string): void;
}

export function createPlainTyping(options: PlainTypingOptions): PlainTyping {
  const { console, handler, history, submit, interrupt, write } = options;
  const folds = createFolds(() => handler.locale);
  let prompt = "";
  let hasEnded = false;
  /** Holds the earlier lines of a text that continues. */
  let begun = "";
  let reply: ((text: string | undefined) => void) | undefined;
  let editing: Promise<void> | undefined;
  /** Holds what is to be written once the editor has given the terminal back. */
  let held: (() => void)[] = [];
  const input: BareInput = createBareInput({
    console,
    history,
    folds,
    submit(text, isSeen) {
      if (reply && isSeen) reply(text);
      else takeLine(text, isSeen);
    },
    complete,
    edit: () => void edit(),
    suspend,
    refuse,
    interrupt,
    onEnd: options.onEnd,
  });

  function refuse(units: number): void {
    write(toPlainText(renderTooLong(units, handler.locale, Number.POSITIVE_INFINITY)));
  }

  /** Gives the terminal to the shell, until it continues the program; what stood there is then shown again. */
  function suspend(): void {
    let stood = false;
    suspendProcess({
      suspend() {
        stood = input.suspend();
      },
      resume() {
        input.resume();
        if (stood && !input.isShown) show(prompt);
      },
    });
  }

  /** Takes a line. A backslash at its end joins the next line to it. */
  function takeLine(text: string, isSeen: boolean): void {
    const whole = begun + text;
    const units = folds.countUnits(whole);
    if (units > mostTyped) {
      refuse(units);
      // The earlier lines stay, too: a shorter end can still follow them.
      input.set(text);
      if (isSeen) show("… ");
      return;
    }
    begun = whole.endsWith("\\") ? `${whole.slice(0, -1)}\n` : "";
    if (begun === "") submitWhole(whole);
    else if (isSeen) show("… ");
  }

  /** Two editors at once would share the terminal, and a reply is no text to be edited. */
  async function edit(text = input.text): Promise<void> {
    if (reply) return;
    editing ??= openEditor(text);
    await editing;
  }

  /** Puts a text in place of what is half typed. One of several lines becomes a label, for a line has no other place for it. */
  function setText(text: string): void {
    input.set(text.includes("\n") ? folds.foldLines(text) : sanitizeLine(text));
  }

  async function openEditor(text: string): Promise<void> {
    const stood = input.suspend();
    const edited = await editExternally(folds.expand(text), options);
    editing = undefined;
    if ("text" in edited) setText(edited.text);
    input.resume();
    const works = held;
    held = [];
    for (const work of works) work();
    if ("problem" in edited) write(say(handler.locale, edited.problem));
    // The prompt may have been asked for meanwhile.
    if (stood && !input.isShown) show(prompt);
  }

  /** Writes now, or once the terminal is ours again. */
  function runWhenOurs(work: () => void): void {
    if (editing) held.push(work);
    else work();
  }

  /** Submits a text and adds it to the history. Replies to questions are not added: they may be meant for one server alone. */
  function submitWhole(text: string): void {
    const whole = folds.expand(text);
    if (whole.trim() !== "") history?.add(whole);
    submit(whole);
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
    runWhenOurs(() => {
      if (!hasEnded) input.show(prompt);
    });
  }

  function writeAbove(work: () => void): void {
    runWhenOurs(() => {
      const stood = input.leave();
      if (stood) writeSafely(console.stdout, "\n");
      work();
      if (stood) input.show(prompt);
    });
  }

  function ask(query: string, signal: AbortSignal): Promise<string | undefined> {
    if (signal.aborted) return Promise.reject(signal.reason);
    // What is being edited is the text that stands there now, and no reply.
    if (editing) return waitAbortable(editing, signal).then(() => ask(query, signal));
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
  }

  return {
    get isAsking() {
      return reply !== undefined;
    },
    get editing() {
      return editing;
    },
    ask,
    show,
    refresh(text) {
      if (text === prompt || reply || !input.leave()) return;
      writeSafely(console.stdout, "\n");
      show(text);
    },
    echo: (before, text) => runWhenOurs(() => writeSafely(console.stdout, `${before}${folds.collapse(text)}\n`)),
    writeAbove,
    edit,
    prefill(text) {
      if (begun === "" && input.text === "") setText(text);
    },
    putBack: (text) => input.putBack(sanitizeLine(folds.collapse(text))),
    drop() {
      begun = "";
      input.drop();
    },
    endInput() {
      hasEnded = true;
      // What is still written follows a prompt at which nobody types.
      if (input.leave()) writeSafely(console.stdout, "\n");
      reply?.(undefined);
    },
    close: () => input.close(),
  };
}

const mostShown = 20;
