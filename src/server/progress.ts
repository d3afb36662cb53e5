import type { AgentEvent } from "../core/events.ts";
import { lineOf } from "../core/lines.ts";
import type { Locale } from "../core/locale.ts";
import { createPlanLines } from "../core/plan-lines.ts";
import { printableLine } from "../core/printable.ts";
import { sleep } from "../core/waiting.ts";

export interface ProgressOptions {
  locale: Locale;
  /** Sends one notification; `progress` strictly rises. Its failures are the caller's to swallow. */
  send(progress: number, message: string): void;
  /** At most one notification in this time, in milliseconds. */
  intervalMs?: number;
  /** A sign of life when nothing else was sent for this long, in milliseconds. */
  heartbeatMs?: number;
  /** Nothing is sent once this aborts: the request is over for who made it. */
  signal?: AbortSignal;
}

/** A run's events as progress notifications: readable lines, coalesced, with a heartbeat. */
export interface Progress {
  take(event: AgentEvent): void;
  /** Sends what is pending and stops; resolves when the last notification can no longer share a read with the result. */
  end(): Promise<void>;
}

/** Official clients drop a notification that arrives in one read with its result; this keeps them apart. */
const settleMs = 10;
const tailLength = 120;

export function reportProgress(options: ProgressOptions): Progress {
  const { locale, send, intervalMs = 112, heartbeatMs = 9_000, signal } = options;
  const started = performance.now();
  let count = 0;
  let lastSent = Number.NEGATIVE_INFINITY;
  /** Lines that wait for their turn; the running text of a thought or an answer comes last. */
  let lines: string[] = [];
  let running: { kind: "💭" | "✍"; text: string; fresh: boolean } | undefined;
  let timer: NodeJS.Timeout | undefined;

  function flush(): void {
    clearTimeout(timer);
    if (signal?.aborted) return;
    const tail = running?.fresh ? `${running.kind} ${tailOf(running.text)}` : undefined;
    if (running) running.fresh = false;
    const message = [...lines, tail].filter(Boolean).join("  ·  ");
    lines = [];
    if (message !== "") {
      send(++count, message);
      lastSent = performance.now();
    }
    timer = setTimeout(beat, heartbeatMs);
  }

  function beat(): void {
    if (lines.length === 0 && !running?.fresh) lines.push(`… ${Math.round((performance.now() - started) / 1000)} s`);
    flush();
  }

  function schedule(): void {
    const wait = lastSent + intervalMs - performance.now();
    clearTimeout(timer);
    if (wait <= 0) flush();
    else timer = setTimeout(flush, wait);
  }

  function grow(kind: "💭" | "✍", text: string): void {
    const before = running?.kind === kind ? running.text : "";
    running = { kind, text: (before + text).slice(-4 * tailLength), fresh: true };
    schedule();
  }

  const planLines = createPlanLines(locale);

  function say(event: AgentEvent): void {
    const line = lineOf(event, locale);
    const said = event.type === "plan" ? planLines(event.steps) : line === undefined ? [] : [line];
    if (said.length === 0) return;
    if (running?.fresh) lines.push(`${running.kind} ${tailOf(running.text)}`);
    running = undefined;
    lines.push(...said);
    schedule();
  }

  timer = setTimeout(beat, heartbeatMs);
  return {
    take(event) {
      if (event.type === "answer-delta") grow("✍", event.text);
      else if (event.type === "thought-delta") grow("💭", event.text);
      else if (event.type !== "reasoning-delta") say(event);
    },
    async end() {
      if (lines.length > 0 || running?.fresh) flush();
      clearTimeout(timer);
      if (signal?.aborted) return;
      const rest = lastSent + settleMs - performance.now();
      if (rest > 0) await sleep(rest);
    },
  };
}

function tailOf(text: string): string {
  const line = printableLine(text);
  return line.length > tailLength ? `…${line.slice(-tailLength)}` : line;
}
