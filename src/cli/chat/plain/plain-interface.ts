import { say, type Text } from "../../../kit/locale.ts";
import { writeSafely } from "../../console.ts";
import { createQuietScreen } from "../../questions/quiet-screen.ts";
import type { Reader } from "../../questions/reader.ts";
import type { InputHistory } from "../../terminal/editor/editor.ts";
import { type Line, toPlainText } from "../../terminal/text/line.ts";
import type { ChatHandler, ChatInterface } from "../chat-interface.ts";
import { createInputQueue } from "../input-queue.ts";
import { createInterrupts } from "../screen/interrupts.ts";
import type { StepLog } from "../steps/step.ts";
import { longestLine, readCappedLines } from "./capped-lines.ts";
import { isTyped, type PlainConsole } from "./plain-console.ts";
import { openPlainRun } from "./plain-run.ts";
import { createPlainTyping } from "./plain-typing.ts";
import { toScreenReaderText } from "./screen-reader-text.ts";

export interface PlainInterfaceOptions {
  console: PlainConsole;
  handler: ChatHandler;
  /** Whose numbers stand beside the steps; it has seen each event before the face does. */
  steps: StepLog;
  verbose: boolean;
  /** Whether the terminal shows links. */
  hyperlinks: boolean;
  /** Signs are words, the answer comes in whole lines, and long work says that it goes on. */
  isScreenReader: boolean;
  history?: InputHistory | undefined;
  signal: AbortSignal;
}

/**
 * A chat in plain lines: each is written once, at the end of what was written, and nothing is drawn anew. On a terminal it
 * prompts and can ask; of a pipe it answers each line, the answer on stdout, all else on stderr.
 */
export function createPlainInterface(options: PlainInterfaceOptions): ChatInterface {
  return isTyped(options.console) ? createTerminalFace(options) : createPipeFace(options);
}

function createPipeFace(options: PlainInterfaceOptions): ChatInterface {
  const { console, handler, signal } = options;
  const queue = createInputQueue();
  const write = (...lines: (string | Line)[]): void => writeSafely(console.stderr, shown(lines, options));
  const close = readCappedLines(console.stdin, {
    line: queue.push,
    tooLong: (bytes) => write(say(handler.locale, tooLong(bytes))),
    end: queue.end,
  });
  signal.addEventListener("abort", close, { once: true });

  return {
    next: queue.next,
    write,
    writeTurn: async ({ question, answer }) => writeSafely(console.stderr, `> ${question}\n${answer}\n`),
    reader: undefined,
    openRun: (locale) => openPlainRun({ ...options, locale, isQuiet: () => false, free: async () => {} }),
    toggleSteps: () => undefined,
    refresh() {},
    async close() {
      signal.removeEventListener("abort", close);
      handler.stop();
      close();
    },
  };
}

function createTerminalFace(options: PlainInterfaceOptions): ChatInterface {
  const { console, handler, history, signal } = options;
  const queue = createInputQueue();
  const interrupts = createInterrupts({ handler, changed() {} });
  const typing = createPlainTyping({
    ...{ console, handler, history },
    submit: queue.push,
    interrupt,
    end,
    write,
  });
  const quiet = createQuietScreen(typing.ask);
  signal.addEventListener("abort", end, { once: true });

  /** With nobody left to type, what waits in line is for nobody. */
  function end(): void {
    handler.leave();
    queue.end();
    typing.end();
    handler.stop();
  }

  function interrupt(): void {
    if (handler.stop()) drop(queue.takeBack());
    else if (interrupts.isSecond()) end();
    else {
      typing.drop();
      write(interrupts.hint ?? "");
    }
  }

  /** What waits in line was meant for what came of what was stopped; the arrow keys bring it back. */
  function drop(texts: readonly string[]): void {
    for (const text of texts) write(say(handler.locale, { zh: `未发送：${text}`, en: `Not sent: ${text}` }));
  }

  function write(...lines: (string | Line)[]): void {
    typing.aside(() => writeSafely(console.stdout, shown(lines, options)));
  }

  const reader: Reader = {
    get locale() {
      return handler.locale;
    },
    ask: quiet.ask,
    write,
    leave: handler.leave,
  };

  return {
    async next() {
      if (queue.waiting.length > 0) typing.echo(handler.prompt(), queue.waiting[0] ?? "");
      else if (!signal.aborted) typing.show(handler.prompt());
      return queue.next();
    },
    write,
    writeTurn: async ({ question, answer }) => write(`> ${question}`, answer),
    reader,
    openRun: (locale) => openPlainRun({ ...options, locale, isQuiet: () => typing.isAsking, free: quiet.free }),
    toggleSteps: () => undefined,
    refresh: () => typing.refresh(handler.prompt()),
    async close() {
      signal.removeEventListener("abort", end);
      queue.end();
      typing.close();
    },
  };
}

function tooLong(bytes: number): Text {
  return {
    zh: `这一行太长，没有发送：已读到 ${bytes} 字节（一行最多 ${longestLine} 字节）`,
    en: `Too long, not sent: a line of ${bytes} bytes so far (at most ${longestLine})`,
  };
}

/** Lines as text; those of several lines are so many. */
function shown(lines: readonly (string | Line)[], { handler, isScreenReader }: PlainInterfaceOptions): string {
  const texts = lines.flatMap((line) => (typeof line === "string" ? line : toPlainText(line)).split("\n"));
  return texts.map((text) => `${isScreenReader ? toScreenReaderText(text, handler.locale) : text}\n`).join("");
}
