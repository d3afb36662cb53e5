import type { AgentEvent } from "../../../core/events.ts";
import type { Outcome } from "../../../core/outcome.ts";
import type { Locale } from "../../../kit/locale.ts";
import type { MarkdownStream } from "../../terminal/markdown/markdown-stream.ts";
import type { Live, Screen } from "../../terminal/screen/screen-types.ts";
import type { Line } from "../../terminal/text/line.ts";
import { type AnswerView, createAnswer } from "./answer.ts";
import { createDraftView } from "./draft-view.ts";
import { expandAll } from "./expand-step.ts";
import { createStepList, type StepList } from "./fold-steps.ts";
import { createPlanView } from "./plan-view.ts";
import { createPhaseLines, type PhaseLines, renderEnd, renderQuietLines } from "./quiet-lines.ts";
import { createScrollback } from "./scrollback.ts";
import { createSpinner } from "./spinner.ts";
import type { StepLog } from "./step.ts";
import { createThinking } from "./thinking.ts";
import { createToolLines } from "./tool-lines.ts";

export interface RunViewOptions {
  screen: Screen;
  /** Has taken each event before the view does. */
  steps: StepLog;
  locale: Locale;
  openMarkdown(): MarkdownStream | Promise<MarkdownStream>;
  /** Is true when whole thoughts are shown, and each call's whole input and output. */
  verbose: boolean;
  /** Is true when signs of current activity are animated, which is the default. */
  animates?: boolean;
  /** Returns milliseconds. Only differences count. */
  now?: () => number;
}

/** Sets the time between two frames of an animated sign. */
const tickMs = 100;

/** Opens the view of one run. It asks for frames until the run has ended or it is closed. */
export function createRunView(options: RunViewOptions): TerminalRunView {
  const { screen, steps, locale, openMarkdown, verbose, animates = true, now = () => performance.now() } = options;
  const scrollback = createScrollback(screen);
  const thinking = createThinking({ screen, scrollback, locale, verbose });
  const spinner = createSpinner({ screen, locale, now, animates });
  const tools = createToolLines({ screen, scrollback, steps, locale, now, spin: spinner.renderSign });
  const draft = createDraftView(screen);
  const plan = createPlanView({ screen, scrollback, steps, locale });
  let phaseLines: PhaseLines | undefined;
  let turn: Extract<AgentEvent, { type: "phase-start" }> | undefined;
  let answer: AnswerView | undefined;
  /** Holds the answer that has ended and is still being rendered. */
  let ending: AnswerView | undefined;
  /** Holds blank text, with which an answer may begin. */
  let blank = "";
  /** Holds lines that arrived while an answer grew. They are shown after it, and do not interrupt it. */
  let afterAnswer: Line[] = [];
  let isOver = false;
  const replaceable = screen.openReplaceableLines?.();
  /**
   * Counts the lines of the list that had been written before the answer began. If it began more than once, the last time
   * counts.
   */
  let listLength: number | undefined;
  let list: StepList | undefined;
  const ticking = setInterval(updateClock, tickMs);
  ticking.unref();

  function updateClock(): void {
    answer?.flush();
    screen.refresh();
  }

  function writeNotice(lines: Line[]): void {
    if (answer) afterAnswer.push(...lines);
    else scrollback.write(...lines);
  }

  function grow(event: Extract<AgentEvent, { type: "answer-delta" }>): void {
    const { text, citations } = event;
    spinner.countText(text);
    if (answer === undefined && text.trim() === "") {
      blank += text;
      return;
    }
    thinking.fold(event);
    const isFirst = answer === undefined;
    if (isFirst) {
      // A turn that decided and answers now has had no phase of its own for that.
      if (turn) scrollback.write(...(phaseLines?.({ ...turn, phase: "answer" }) ?? []));
      measureList();
      spinner.startAnswer();
    }
    answer ??= createAnswer({ screen, scrollback, openMarkdown, now });
    answer.push(blank + text, citations);
    blank = "";
    if (isFirst) screen.refreshNow();
  }

  function growDraft({ text }: Extract<AgentEvent, { type: "draft-delta" }>): void {
    spinner.countText(text);
    if (draft.push(text)) screen.refreshNow();
  }

  /** Takes the draft away. What it was is told again. */
  function endDraft(): void {
    spinner.discountText(draft.text);
    draft.clear();
  }

  function endAnswer(): void {
    blank = "";
    if (answer === undefined) return;
    ending = answer;
    answer.finish();
    answer = undefined;
    scrollback.writeGap();
    scrollback.write(...afterAnswer);
    afterAnswer = [];
  }

  function handleThought(event: Extract<AgentEvent, { type: "thought-delta" | "reasoning-delta" }>): void {
    spinner.countText(event.text);
    const step = steps.findThought();
    if (step?.state !== "running") return;
    endAnswer();
    if (thinking.show(step, event)) screen.refreshNow();
  }

  function measureList(): void {
    scrollback.runAfterWrites(() => {
      listLength = replaceable?.lines.length;
    });
  }

  /** Closes all current activity, also when the run broke off. */
  function endActivities(): void {
    if (isOver) return;
    isOver = true;
    clearInterval(ticking);
    draft.clear();
    thinking.fold();
    tools.closeOpenCalls();
    endAnswer();
    plan.finish();
    if (listLength === undefined) measureList();
  }

  function endRun(outcome: Outcome): void {
    endActivities();
    if (verbose)
      scrollback.write(
        ...expandAll(
          steps.listRunSteps().filter(({ kind }) => kind === "tool"),
          locale,
        ),
      );
    scrollback.write(...renderEnd(outcome, locale));
  }

  function handleEvent(event: AgentEvent): void {
    switch (event.type) {
      case "run-start":
        phaseLines = createPhaseLines(event, locale);
        break;
      case "phase-start":
        thinking.fold(event);
        endAnswer();
        turn = { ...event, reason: "" };
        spinner.startPhase(event);
        scrollback.write(...(phaseLines?.(event) ?? []));
        break;
      case "reasoning-delta":
      case "thought-delta":
        handleThought(event);
        break;
      case "phase-end":
        thinking.fold(event);
        draft.clear();
        spinner.endPhase(event);
        break;
      case "tool-start":
        thinking.fold(event);
        endAnswer();
        tools.startCall(event);
        break;
      case "tool-progress":
        tools.handleProgress(event);
        break;
      case "tool-end":
        tools.finishCall(event);
        break;
      case "plan":
        thinking.fold(event);
        endAnswer();
        plan.handle(event.steps);
        break;
      case "draft-delta":
        growDraft(event);
        break;
      case "draft-end":
        endDraft();
        // What it was comes at once; a frame in between would show neither.
        return;
      case "answer-delta":
        grow(event);
        break;
      case "answer-restart":
        endAnswer();
        writeNotice(renderQuietLines(event, locale, verbose));
        break;
      case "run-end":
        endRun(event.outcome);
        break;
      default:
        writeNotice(renderQuietLines(event, locale, verbose));
    }
    screen.refresh();
  }

  function renderLive(rows: number): Line[] {
    const foot = isOver ? [] : [spinner.renderLine()].slice(0, rows);
    const running = tools.renderLive(rows - foot.length);
    const room = rows - foot.length - running.length;
    const checklist = plan.live(Math.max(Math.ceil(room / 2), room - 8));
    const left = room - checklist.length;
    const growing = answer ?? ending;
    const written = draft.live(left - 1);
    const text = growing ? growing.live(left - 1) : [...thinking.live(left - 1 - written.length), ...written];
    const gap = (growing || written.length > 0) && text.length > 0 && foot.length > 0 ? [[]] : [];
    return [...checklist, ...text, ...gap, ...running, ...foot];
  }

  return {
    handle: handleEvent,
    live: renderLive,
    get list() {
      return list;
    },
    async close() {
      endActivities();
      await scrollback.settle();
      const own = steps.listRunSteps();
      if (replaceable && listLength && own.length > 0)
        list = createStepList({ replaceable, length: listLength, steps: own, locale });
      screen.refresh();
    },
  };
}

/** Shows a run: finished content goes to the screen's finished lines, and changing content is read at each frame. */
export interface TerminalRunView {
  handle(event: AgentEvent): void;
  /** Returns the lines to draw below the finished ones, at most `rows` of them. */
  live(rows: number): Live["lines"];
  /**
   * Holds the list of steps above the answer once the view is closed. It is undefined when there is no list or the list cannot
   * be folded.
   */
  readonly list: StepList | undefined;
  /** Settles when all of it is among the finished lines, also where its events broke off. */
  close(): Promise<void>;
}
