import { writeSafely } from "../../console.ts";
import type { Reader } from "../../questions/reader.ts";
import type { InputHistory } from "../../terminal/editor/editor.ts";
import { renderTooLong } from "../../terminal/editor/too-long.ts";
import { toPlainText } from "../../terminal/text/line.ts";
import type { ChatHandler } from "../chat-interface.ts";
import { type BareInput, type BareInputOptions, createBareInput } from "./bare-input.ts";

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
