import { isDraftEvent } from "../../../../core/run/drafts.ts";
import type { AgentEvent } from "../../../../core/run/events.ts";
import { type Locale, say, type Text } from "../../../../kit/locale.ts";
import { sanitizeLine } from "../../../../kit/text/sanitize.ts";
import { phaseNames } from "../../../../render/event-lines.ts";
import { type Output, writeSafely } from "../../../console.ts";
import { createRenderer } from "../../../create-renderer.ts";
import { createQuietScreen } from "../../../questions/quiet-screen.ts";
import type { Reader } from "../../../questions/reader.ts";
import type { InputHistory } from "../../../terminal/editor/editor.ts";
import type { KeyInput } from "../../../terminal/keys/read-keys.ts";
import { type Line, toPlainText } from "../../../terminal/text/line.ts";
import type { StepLog } from "../../steps/step.ts";
import type { ChatHandler, ChatInterface, ShownRun } from "../chat-interface.ts";
import { createInputQueue } from "../input-queue.ts";
import { createInterrupts } from "../screen/interrupts.ts";
import { longestLine, readCappedLines } from "./capped-lines.ts";
import { createPlainTyping } from "./plain-typing.ts";
import { createReadableAnswer } from "./readable-answer.ts";
import { toScreenReaderText } from "./screen-reader-text.ts";

export interface PlainInterfaceOptions {
  console: PlainConsole;
  handler: ChatHandler;
  /** Provides the numbers shown beside the steps. It has received each event before the interface does. */
  steps: StepLog;
  verbose: boolean;
  hyperlinks: boolean;
  /**
   * Is true for output suited to a screen reader: signs are words, the answer comes in whole lines, and long work reports that
   * it continues.
   */
  isScreenReader: boolean;
  history?: InputHistory | undefined;
  /** Names the editor of the user's own. */
  environment?: Readonly<Record<string, string | undefined>>;
  signal: AbortSignal;
}

/**
 * Creates a chat in plain lines: each line is written once, below the earlier ones, and nothing is redrawn. On a terminal it
 * prompts and can ask. For a pipe it answers each line, with the answer on stdout and all else on stderr.
 */
export function createPlainInterface(options: PlainInterfaceOptions): ChatInterface {
  return isTyped(options.console) ? createTerminalFace(options) : createPipeFace(options);
}

function createPipeFace(options: PlainInterfaceOptions): ChatInterface {
  const { console, handler, signal } = options;
  const queue = createInputQueue();
  const write = (...lines: (string | Line)[]): void => writeSafely(console.stderr, renderPlainText(lines, options));
  const close = readCappedLines(console.stdin, {
    onLine: queue.push,
    onTooLong: (bytes) => write(say(handler.locale, describeTooLong(bytes))),
    onEnd: queue.close,
  });
  signal.addEventListener("abort", close, { once: true });

  return {
    next: queue.next,
    write,
    writeTurn: async ({ question, answer, steps }) =>
      writeSafely(console.stderr, [`> ${question}`, ...steps, answer, ""].join("\n")),
    hasKeys: false,
    prefill() {},
    putFirst: queue.putFirst,
    putBack() {},
    edit: async () => {},
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
  const { console, handler, history, environment = {}, signal } = options;
  const queue = createInputQueue();
  const interrupts = createInterrupts({ handler, onChange() {} });
  const typing = createPlainTyping({
    ...{ console, handler, history, environment, signal },
    submit(text) {
      if (!handler.message(text)) queue.push(text);
    },
    interrupt,
    onEnd: endChat,
    write,
  });
  const quiet = createQuietScreen(typing.ask);
  const isQuiet = (): boolean => typing.isAsking || typing.editing !== undefined;
  signal.addEventListener("abort", endChat, { once: true });

  /** Settles when neither an editor nor a question has the terminal. */
  async function releaseTerminal(): Promise<void> {
    await typing.editing;
    await quiet.free();
  }

  /** Ends the chat. Nobody is left to type, so queued texts are of no use to anyone. */
  function endChat(): void {
    handler.leave();
    queue.close();
    typing.endInput();
    handler.stop();
  }

  function interrupt(): void {
    if (handler.stop()) drop(queue.takeAll());
    else if (interrupts.isSecond()) endChat();
    else {
      typing.drop();
      write(interrupts.hint ?? "");
    }
  }

  /**
   * Reports queued texts that are not sent, because they were meant to follow what was stopped. The arrow keys bring them back.
   */
  function drop(texts: readonly string[]): void {
    for (const text of texts) write(say(handler.locale, { zh: `未发送：${text}`, en: `Not sent: ${text}` }));
  }

  function write(...lines: (string | Line)[]): void {
    typing.writeAbove(() => writeSafely(console.stdout, renderPlainText(lines, options)));
  }

  const reader: Reader = {
    get locale() {
      return handler.locale;
    },
    ask: quiet.ask,
    isSpoken: options.isScreenReader,
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
    writeTurn: async ({ question, answer, steps }) => write(`> ${question}`, ...steps, answer),
    hasKeys: false,
    prefill: typing.prefill,
    putFirst: queue.putFirst,
    putBack: typing.putBack,
    edit: typing.edit,
    reader,
    openRun: (locale) => openPlainRun({ ...options, locale, isQuiet, free: releaseTerminal }),
    toggleSteps: () => undefined,
    refresh: () => typing.refresh(handler.prompt()),
    async close() {
      signal.removeEventListener("abort", endChat);
      queue.close();
      typing.close();
    },
  };
}

function describeTooLong(bytes: number): Text {
  return {
    zh: `未发送，这一行太长：已读到 ${bytes} 字节（允许：最多 ${longestLine} 字节）`,
    en: `Not sent, the line is too long: ${bytes} bytes so far (allowed: at most ${longestLine})`,
  };
}

/** Converts lines to text. An entry of several lines is split. */
function renderPlainText(
  lines: readonly (string | Line)[],
  { handler, isScreenReader }: PlainInterfaceOptions,
): string {
  const texts = lines.flatMap((line) => (typeof line === "string" ? line : toPlainText(line)).split("\n"));
  return texts.map((text) => `${isScreenReader ? toScreenReaderText(text, handler.locale) : text}\n`).join("");
}

export interface PlainRunOptions {
  console: PlainConsole;
  steps: StepLog;
  locale: Locale;
  verbose: boolean;
  hyperlinks: boolean;
  isScreenReader: boolean;
  /** Is true while a question is on the screen, so that nothing else is written. */
  isQuiet(): boolean;
  /** Settles when no question stands there. */
  free(): Promise<void>;
}

/** Limits how long a run may be silent, in milliseconds. */
const longestSilenceMs = 10_000;

/** Shows a run in plain lines; with a screen reader also that it goes on, when it has said nothing for ten seconds. */
function openPlainRun(options: PlainRunOptions): ShownRun {
  const { console, steps, locale, verbose, isScreenReader, isQuiet, free } = options;
  const isTerminal = isTyped(console);
  const began = performance.now();
  let doing = "";
  const render = createRenderer({
    place: "chat",
    ...{ console, locale, verbose },
    hyperlinks: options.hyperlinks && !isScreenReader,
    byLine: isScreenReader,
    ...(isScreenReader && { wordAnswer: createReadableAnswer(locale) }),
    word(line, event) {
      const worded = isTerminal ? addStepNumber(line, event, steps) : line;
      return isScreenReader ? toScreenReaderText(worded, locale) : worded;
    },
  });
  const silence = isScreenReader ? setInterval(reportProgress, longestSilenceMs).unref() : undefined;

  function reportProgress(): void {
    if (isQuiet()) return;
    const seconds = Math.round((performance.now() - began) / 1000);
    const line = { zh: `仍在进行，已 ${seconds} 秒：${doing}`, en: `still working after ${seconds} s: ${doing}` };
    writeSafely(console.stderr, `${say(locale, line)}\n`);
  }

  function noteEvent(event: AgentEvent): void {
    // Lines cannot be taken back, so drafts are not shown.
    if (isDraftEvent(event)) return;
    if (event.type === "phase-start") doing = toScreenReaderText(say(locale, phaseNames[event.phase]), locale);
    if (event.type === "tool-start") doing = sanitizeLine(event.tool);
    // Thoughts are written when they end: what is silent meanwhile still goes on.
    if (event.type !== "thought-delta" && event.type !== "reasoning-delta") silence?.refresh();
  }

  return {
    async handle(event) {
      await free();
      noteEvent(event);
      render(event);
    },
    async close() {
      clearInterval(silence);
    },
  };
}

/** Adds to a line about a step the number by which it can be opened again. Any other line is unchanged. */
export function addStepNumber(line: string, event: AgentEvent, steps: StepLog): string {
  const step = line.startsWith("💭 ") ? steps.findThought() : findStep(event, steps);
  return step === undefined ? line : line.replace(" ", ` #${step.number} `);
}

function findStep(event: AgentEvent, steps: StepLog): ReturnType<StepLog["findByCall"]> {
  return "tool" in event ? steps.findByCall(event.callId) : undefined;
}

/** Holds the streams of a process, or substitutes for them. */
interface PlainConsole {
  readonly stdin: KeyInput;
  readonly stdout: Output;
  readonly stderr: Output;
}

/** Is true when a person types and sees the questions. */
function isTyped({ stdin, stdout }: PlainConsole): boolean {
  return stdin.isTTY === true && stdout.isTTY === true;
}
