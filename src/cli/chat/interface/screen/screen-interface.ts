import { type Locale, say } from "../../../../kit/locale.ts";
import type { Console } from "../../../console.ts";
import type { Reader } from "../../../questions/reader.ts";
import { createEditor } from "../../../terminal/editor/create-editor.ts";
import type { InputHistory } from "../../../terminal/editor/editor.ts";
import { editExternally } from "../../../terminal/editor/external-editor.ts";
import { createFolds } from "../../../terminal/editor/folds.ts";
import { inputModes } from "../../../terminal/keys/input-modes.ts";
import type { MarkdownStream } from "../../../terminal/markdown/markdown-stream.ts";
import { claimOutput } from "../../../terminal/screen/claim-output.ts";
import type { Reflow } from "../../../terminal/screen/drawn.ts";
import type { NotificationWay } from "../../../terminal/screen/notifications.ts";
import { type PaintOptions, paintLine } from "../../../terminal/screen/paint-line.ts";
import { createScreen } from "../../../terminal/screen/screen.ts";
import type { Live, Size } from "../../../terminal/screen/screen-types.ts";
import { createLine, type Line } from "../../../terminal/text/line.ts";
import { cutLine } from "../../../terminal/text/wrap.ts";
import { createRunView, type TerminalRunView } from "../../steps/create-run-view.ts";
import type { StepList } from "../../steps/fold-steps.ts";
import type { StepLog } from "../../steps/step.ts";
import type { ChatHandler, ChatInterface, ShownRun } from "../chat-interface.ts";
import { createInputQueue } from "../input-queue.ts";
import { createInterrupts } from "./interrupts.ts";
import { createNotifier } from "./notifier.ts";
import { createTypingAhead } from "./picker.ts";
import { createQuestionPanels } from "./question-panels.ts";
import { readScreenKeys } from "./screen-keys.ts";

export interface ScreenInterfaceOptions {
  console: Console;
  handler: ChatHandler;
  steps: StepLog;
  history: InputHistory;
  look: PaintOptions;
  reflow: Reflow;
  verbose: boolean;
  /** Says how somebody who looks elsewhere is told; absent where nobody wants to be. */
  notification: NotificationWay | undefined;
  /** Names the editor of the user's own. */
  environment: Readonly<Record<string, string | undefined>>;
  signal: AbortSignal;
}

/**
 * Opens a chat on the screen of a terminal. Finished output is written to the scrollback once; current activity, the questions
 * and the input are below it. What is submitted during a run is queued.
 */
export function openScreenInterface(options: ScreenInterfaceOptions): ChatInterface {
  const { console, handler, steps, history, look, reflow, verbose, notification, environment, signal } = options;
  const queue = createInputQueue();
  const refresh = (): void => screen.refresh();
  const isRunShown = (): boolean => view !== undefined;
  const questions = createQuestionPanels({
    handler,
    onChange() {
      view?.setAsking(questions.panel !== undefined);
      if (questions.panel && view) notifier.tellOfQuestion();
      refresh();
    },
    isRunShown,
    onReply: (line) => screen.write([line]),
  });
  const folds = createFolds(() => handler.locale);
  const editor = createEditor({
    attachesFiles: true,
    folds,
    complete: handler.complete,
    history,
    onChange: refresh,
    locale: () => handler.locale,
  });
  const interrupts = createInterrupts({ handler, onChange: refresh });
  let view: TerminalRunView | undefined;
  /** Holds the steps of the last run that has ended. */
  let list: StepList | undefined;
  const typingAhead = createTypingAhead();
  const claimed = claimOutput(console, (line) => write(line));
  // The terminal answers some modes at once: its replies have to be read, not echoed.
  const notifier = createNotifier({ way: notification, handler, send: (sequence) => screen.send(sequence) });
  const keys = readScreenKeys({
    ...{ handler, editor, queue, questions, interrupts, typingAhead, folds, isRunShown, notifier, onEnd: endChat },
    stdin: console.stdin,
    edit: (text) => editExternally(text, { environment, signal }),
    report: (line) => write(say(handler.locale, line)),
    screen: {
      refreshNow: () => screen.refreshNow(),
      suspend: () => screen.suspend(),
      resume: () => screen.resume(),
    },
  });
  const screen = createScreen({
    stdout: claimed.stdout,
    modes: inputModes,
    reflow,
    paint: (line) => paintLine(line, look),
    beforeFrame: () => view?.flush(),
    draw: (size) =>
      drawChat(size, {
        run: (rows) => view?.live(rows) ?? [],
        messages: handler.messages.map(folds.collapse),
        waiting: queue.waiting,
        input: renderInput,
        status: interrupts.hint ?? handler.status(questions.panel !== undefined, size.columns),
        locale: handler.locale,
      }),
  });
  signal.addEventListener("abort", endChat, { once: true });

  /** Ends the chat. Nobody is left to type, so queued texts are of no use to anyone. */
  function endChat(): void {
    handler.leave();
    queue.close();
    questions.close();
    handler.stop();
  }

  /** Returns the question that is shown, or else the input line. */
  function renderInput(room: Size): Live {
    const { panel } = questions;
    if (panel === undefined) return editor.view(handler.prompt(), room);
    // It can be read once this frame has been written.
    queueMicrotask(() => typingAhead.shown(panel, editor.text));
    return panel.view(room);
  }

  function write(...lines: (string | Line)[]): void {
    screen.write(lines.flatMap((line) => (typeof line === "string" ? splitIntoLines(line) : [line])));
  }

  async function openMarkdown(locale: Locale): Promise<MarkdownStream> {
    const { createMarkdownStream } = await import("../../../terminal/markdown/markdown-stream.ts");
    return createMarkdownStream({
      columns: () => screen.size.columns,
      hyperlinks: look.hyperlinks,
      locale,
      changed: refresh,
    });
  }

  const reader: Reader = {
    get locale() {
      return handler.locale;
    },
    ask: questions.ask,
    pick: questions.pick,
    write,
    columns: () => screen.size.columns,
    leave: handler.leave,
  };

  function openRun(locale: Locale): ShownRun {
    const mine = createRunView({
      screen,
      steps,
      locale,
      openMarkdown: () => openMarkdown(locale),
      verbose,
      starting: () => handler.starting,
    });
    view = mine;
    notifier.beginRun();
    return {
      async handle(event) {
        await questions.free();
        mine.handle(event);
        notifier.handle(event);
        screen.refresh();
      },
      async close() {
        await mine.close();
        list = mine.list;
        view = undefined;
        screen.refresh();
      },
    };
  }

  screen.refresh();
  return {
    async next() {
      const text = await queue.next();
      if (text === undefined) return undefined;
      screen.write(renderEcho(handler.prompt(), folds.collapse(text)));
      return folds.expand(text);
    },
    write,
    async writeTurn({ question, answer, steps: made }) {
      screen.write(renderEcho(handler.prompt(), question));
      if (made.length > 0) screen.write([[], ...made.map((line) => createLine(line, "dim")), []]);
      const markdown = await openMarkdown(handler.locale);
      markdown.push(answer);
      screen.write(await markdown.end());
    },
    hasKeys: true,
    prefill(text) {
      if (editor.text === "") editor.set(text);
      refresh();
    },
    putFirst: queue.putFirst,
    edit: (text = editor.text) => keys.editText(text),
    putBack: (text) => editor.set([folds.collapse(text), editor.text].filter((part) => part !== "").join("\n")),
    reader,
    openRun,
    toggleSteps: () => list?.toggle(),
    refresh,
    async close() {
      signal.removeEventListener("abort", endChat);
      notifier.close();
      screen.close();
      keys.close();
      claimed.release();
    },
  };
}

function splitIntoLines(text: string): Line[] {
  return text.split(/\r?\n/).map((line) => createLine(line));
}

/** Renders submitted text as it stays on the screen: after its prompt, with further lines below the first. */
function renderEcho(prompt: string, text: string): Line[] {
  const lines = text.split("\n").map((line, index): Line => {
    if (index > 0) return [{ text: `  ${line}`, styles: ["strong"] }];
    return [
      { text: prompt, styles: ["accent"] },
      { text: line, styles: ["strong"] },
    ];
  });
  return [[], ...lines];
}

/** Holds the parts at the bottom of a chat's screen, from top to bottom. */
export interface ChatParts {
  /** Renders the current activity in at most this many lines. */
  run(rows: number): readonly Line[];
  /** Lists what was said to the run and no model has read yet. */
  messages: readonly string[];
  /** Lists the texts that were submitted in the meantime. */
  waiting: readonly string[];
  /** Renders the question, or else the input line. */
  input(room: Size): Live;
  status: string;
  locale: Locale;
}

/** Limits how many queued texts are shown as lines; a low screen shows one. The rest is counted. */
const mostWaiting = 3;
const lowRows = 16;

/** Puts the parts below each other, within the screen: what is going on gets the room that the others leave. */
export function drawChat(size: Size, parts: ChatParts): Live {
  const { columns, rows } = size;
  const waiting = renderWaiting(parts, rows);
  const status = createLine(parts.status, "dim");
  const room = Math.max(1, rows - 1 - waiting.length - 1);
  const input = parts.input({ columns, rows: room });
  const run = parts.run(Math.max(0, room - input.lines.length - 1));
  const above = [...(run.length > 0 ? [...run, []] : [[]]), ...waiting];
  const { cursor } = input;
  return {
    lines: [...above, ...input.lines, status].map((line) => cutLine(line, columns)),
    cursor: cursor && { row: cursor.row + above.length, column: cursor.column },
  };
}

function renderWaiting({ messages, waiting, locale }: ChatParts, rows: number): Line[] {
  const all = [
    ...messages.map((text) => `✉ ${cutToFirstLine(text)}`),
    ...waiting.map((text) => `⏳ ${cutToFirstLine(text)}`),
  ];
  const lines = all.slice(0, rows < lowRows ? 1 : mostWaiting).map((text) => createLine(text, "dim"));
  const more = all.length - lines.length;
  if (more === 0) return lines;
  const rest = say(locale, { zh: `⏳ 还有 ${more} 条在等待`, en: `⏳ ${more} more queued` });
  return [...lines, createLine(rest, "dim")];
}

function cutToFirstLine(text: string): string {
  return text.trim().split("\n", 1)[0] ?? "";
}
