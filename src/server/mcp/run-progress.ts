import type { AgentEvent } from "../../core/run/events.ts";
import type { Locale } from "../../kit/locale.ts";
import { sanitizeLine } from "../../kit/text/sanitize.ts";
import { renderEvent } from "../../render/event-lines.ts";
import { createPlanLines } from "../../render/plan-lines.ts";
import { createProgressPace, type ProgressPace } from "../../runs/input/progress-pace.ts";

/**
 * Sends a run's events as progress notifications: readable lines, coalesced, with a heartbeat. What still waits at the end is
 * dropped, because the result tells it.
 */
export interface RunProgress extends Pick<ProgressPace, "attach" | "settle"> {
  handle(event: AgentEvent): void;
  /**
   * Lets the next message name the run: whoever is cut off before the result can ask for the run elsewhere. It is no reason for a
   * message of its own.
   */
  nameRun(runId: string): void;
  /** Sends a line in addition to the run's own. */
  notify(line: string): void;
}

const tailLength = 120;

/** Is how long nothing is sent, in milliseconds, so that a run that is done by then has no progress to hold its result back. */
const quietMs = 100;

/** Limits the events that wait to be rendered. */
const mostWaiting = 200;

/** Says what is written: a thought, the answer, or text of which that is not known yet. */
type TextSign = "💭" | "✍" | "💬";

export function createRunProgress(locale: Locale): RunProgress {
  /** Holds the events that wait to be rendered: of a run that is done soon, or of what is dropped at the end, nobody reads them. */
  let waiting: AgentEvent[] = [];
  /** Holds the lines that wait to be sent. The streamed text of a thought or an answer comes last. */
  let lines: string[] = [];
  let running: { kind: TextSign; text: string; fresh: boolean } | undefined;
  const { due, attach, settle } = createProgressPace({ deliver: takeWaiting, quietMs });

  function renderWaiting(): void {
    for (const event of waiting) render(event);
    waiting = [];
  }

  function takeWaiting(): string | undefined {
    renderWaiting();
    const tail = running?.fresh ? `${running.kind} ${takeTail(running.text)}` : undefined;
    if (running) running.fresh = false;
    const message = [...lines, tail].filter(Boolean).join("  ·  ");
    lines = [];
    return message === "" ? undefined : message;
  }

  function grow(kind: TextSign, text: string): void {
    const before = running?.kind === kind ? running.text : "";
    running = { kind, text: (before + text).slice(-4 * tailLength), fresh: true };
  }

  const planLines = createPlanLines(locale);

  function say(event: AgentEvent): void {
    const line = renderEvent(event, locale);
    const said = event.type === "plan" ? planLines(event.steps) : line === undefined ? [] : [line];
    if (said.length === 0) return;
    if (running?.fresh) lines.push(`${running.kind} ${takeTail(running.text)}`);
    running = undefined;
    lines.push(...said);
  }

  function render(event: AgentEvent): void {
    if (event.type === "answer-delta") grow("✍", event.text);
    else if (event.type === "thought-delta") grow("💭", event.text);
    else if (event.type === "draft-delta") grow("💬", event.text);
    // What it was is told at once.
    else if (event.type === "draft-end") running = undefined;
    else say(event);
  }

  return {
    attach,
    settle,
    nameRun(runId) {
      renderWaiting();
      lines.push(`🆔 ${runId}`);
    },
    notify(line) {
      renderWaiting();
      lines.push(line);
      due();
    },
    handle(event) {
      if (event.type === "reasoning-delta") return;
      if (waiting.push(event) >= mostWaiting) renderWaiting();
      due();
    },
  };
}

function takeTail(text: string): string {
  const line = sanitizeLine(text);
  return line.length > tailLength ? `…${line.slice(-tailLength)}` : line;
}
