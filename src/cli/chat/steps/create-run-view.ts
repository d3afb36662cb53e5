import type { AgentEvent } from "../../../core/run/events.ts";
import type { Outcome } from "../../../core/run/outcome.ts";
import type { Locale } from "../../../kit/locale.ts";
import { sanitizeLine } from "../../../kit/text/sanitize.ts";
import { noticeLine } from "../../../render/event-lines.ts";
import { createVerdictLine } from "../../../render/verdict-line.ts";
import type { MarkdownStream } from "../../terminal/markdown/markdown-stream.ts";
import type { Live, Screen } from "../../terminal/screen/screen-types.ts";
import { createLine, type Line } from "../../terminal/text/line.ts";
import { cutLine } from "../../terminal/text/wrap.ts";
import { createDraftView } from "./draft-view.ts";
import { expandAll } from "./expand-step.ts";
import { createStepList, type StepList } from "./fold-steps.ts";
import { createPlanView } from "./plan-view.ts";
import { createPhaseLines, type PhaseLines, renderEnd, renderQuietLines } from "./quiet-lines.ts";
import { createRunAnswer } from "./run-answer.ts";
import { createScrollback } from "./scrollback.ts";
import { createSpinner } from "./spinner.ts";
import type { StepLog } from "./step.ts";
import { createStoppableClock } from "./stoppable-clock.ts";
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
  /** Lists the servers that are being waited for before the run begins its work. */
  starting?: () => readonly string[];
}

/** Sets the time between two frames of an animated sign. */
const tickMs = 100;

/** Opens the view of one run. It asks for frames until the run has ended or it is closed. */
export function createRunView(options: RunViewOptions): TerminalRunView {
  const { screen, steps, locale, openMarkdown, verbose, animates = true, starting } = options;
  const clock = createStoppableClock(options.now ?? (() => performance.now()));
  const { now } = clock;
  const scrollback = createScrollback(screen);
  const thinking = createThinking({ screen, scrollback, locale, verbose });
  const spinner = createSpinner({ screen, locale, now, animates, starting });
  const tools = createToolLines({ screen, scrollback, steps, locale, now, spin: spinner.renderSign });
  const draft = createDraftView(screen);
  const plan = createPlanView({ screen, scrollback, steps, locale });
  const answer = createRunAnswer({
    ...{ screen, scrollback, openMarkdown },
    onBegin(event) {
      thinking.fold(event);
      measureList();
      spinner.startAnswer();
    },
  });
  let phaseLines: PhaseLines | undefined;
  const renderVerdict = createVerdictLine(locale);
  /** Is the last try of a model that failed, while the next one is waited for. */
  let retry: Line | undefined;
  let isOver = false;
  const replaceable = screen.openReplaceableLines?.();
  /**
   * Counts the lines of the list that had been written before the answer began. If it began more than once, the last time
   * counts.
   */
  let listLength: number | undefined;
  let list: StepList | undefined;
  const ticking = setInterval(() => screen.refresh(), tickMs);
  ticking.unref();

  function grow(event: Extract<AgentEvent, { type: "answer-delta" }>): void {
    spinner.countText(event.text);
    if (answer.push(event)) screen.refreshNow();
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

  function handleThought(event: Extract<AgentEvent, { type: "thought-delta" | "reasoning-delta" }>): void {
    spinner.countText(event.text);
    const step = steps.findThought();
    if (step?.state !== "running") return;
    answer.finish();
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
    answer.finish();
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

  /** Shows that a model is tried again until something comes of it. Returns true for an event that says so. */
  function showRetry(event: AgentEvent): boolean {
    const isRetry = event.type === "notice" && event.code === "retry" && !verbose;
    retry = isRetry ? createLine(noticeLine(event), "warn") : undefined;
    return isRetry;
  }

  function handleEvaluation(event: Extract<AgentEvent, { type: "evaluation" }>): void {
    // What goes on is of interest while it does; the words of somebody's own evaluator stay.
    if (event.verdict === "continue" && event.reason !== "custom" && !verbose) spinner.setNote(event.message);
    else answer.writeOutside(renderQuietLines(event, locale, verbose));
  }

  function handleEvent(event: AgentEvent): void {
    const verdict = renderVerdict(event);
    if (verdict.lines.length > 0) {
      thinking.fold(event);
      answer.finish();
      scrollback.write(...verdict.lines.map((line) => createLine(sanitizeLine(line), "dim")));
    }
    if (showRetry(event)) {
      screen.refresh();
      return;
    }
    switch (event.type) {
      case "run-start":
        phaseLines = createPhaseLines(event, locale);
        break;
      case "phase-start":
        thinking.fold(event);
        answer.finish();
        spinner.startPhase(event);
        if (!verdict.isWhole) scrollback.write(...(phaseLines?.(event) ?? []));
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
        answer.finish();
        spinner.setNote("");
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
        answer.finish();
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
        answer.finish();
        answer.writeOutside(renderQuietLines(event, locale, verbose));
        break;
      case "run-end":
        endRun(event.outcome);
        break;
      case "evaluation":
        if (!verdict.isWhole) handleEvaluation(event);
        break;
      default:
        answer.writeOutside(renderQuietLines(event, locale, verbose));
    }
    screen.refresh();
  }

  function renderFoot(rows: number): Line[] {
    const lines = [...(retry ? [cutLine(retry, screen.size.columns)] : []), spinner.renderLine(tools.count)];
    return lines.slice(Math.max(0, lines.length - rows));
  }

  function renderLive(rows: number): Line[] {
    const foot = isOver ? [] : renderFoot(rows);
    const running = tools.renderLive(rows - foot.length);
    const room = rows - foot.length - running.length;
    const checklist = plan.live(Math.max(Math.ceil(room / 2), room - 8));
    const left = room - checklist.length;
    const written = draft.live(left - 1);
    const growing = answer.live(left - 1);
    const text = growing ?? [...thinking.live(left - 1 - written.length), ...written];
    const gap = (growing || written.length > 0) && text.length > 0 && foot.length > 0 ? [[]] : [];
    return [...checklist, ...text, ...gap, ...running, ...foot];
  }

  return {
    handle: handleEvent,
    flush: answer.flush,
    live: renderLive,
    setAsking(isAsking) {
      spinner.setAsking(isAsking);
      if (isAsking) clock.stop();
      else clock.goOn();
    },
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
  /** Says whether a person is asked something; no time passes in the view until there is a reply. */
  setAsking(isAsking: boolean): void;
  /** Writes what is finished; it must be called before each frame. */
  flush(): void;
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
