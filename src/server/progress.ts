import type { AgentEvent } from "../core/events.ts";
import { lineOf } from "../core/lines.ts";
import type { Locale } from "../core/locale.ts";
import { createPlanLines } from "../core/plan-lines.ts";
import { printableLine } from "../core/printable.ts";
import { createPace, type SendProgress } from "./pace.ts";

export interface ProgressOptions {
  locale: Locale;
  send: SendProgress;
  /** Nothing is sent once this aborts: the request is over for who made it. */
  signal?: AbortSignal;
}

/** A run's events as progress notifications: readable lines, coalesced, with a heartbeat. */
export interface Progress {
  take(event: AgentEvent): void;
  /** Sends what is pending and stops; resolves when the last notification can no longer share a read with the result. */
  end(): Promise<void>;
}

const tailLength = 120;

export function reportProgress({ locale, send, signal }: ProgressOptions): Progress {
  /** Lines that wait for their turn; the running text of a thought or an answer comes last. */
  let lines: string[] = [];
  let running: { kind: "💭" | "✍"; text: string; fresh: boolean } | undefined;
  const { due, attach, settle } = createPace({ take: takeWaiting });

  function takeWaiting(): string | undefined {
    const tail = running?.fresh ? `${running.kind} ${tailOf(running.text)}` : undefined;
    if (running) running.fresh = false;
    const message = [...lines, tail].filter(Boolean).join("  ·  ");
    lines = [];
    return message === "" ? undefined : message;
  }

  function grow(kind: "💭" | "✍", text: string): void {
    const before = running?.kind === kind ? running.text : "";
    running = { kind, text: (before + text).slice(-4 * tailLength), fresh: true };
    due();
  }

  const planLines = createPlanLines(locale);

  function say(event: AgentEvent): void {
    const line = lineOf(event, locale);
    const said = event.type === "plan" ? planLines(event.steps) : line === undefined ? [] : [line];
    if (said.length === 0) return;
    if (running?.fresh) lines.push(`${running.kind} ${tailOf(running.text)}`);
    running = undefined;
    lines.push(...said);
    due();
  }

  attach((count, message) => {
    if (!signal?.aborted) send(count, message);
  });
  return {
    take(event) {
      if (event.type === "answer-delta") grow("✍", event.text);
      else if (event.type === "thought-delta") grow("💭", event.text);
      else if (event.type !== "reasoning-delta") say(event);
    },
    async end() {
      if (!signal?.aborted) await settle();
      attach(undefined);
    },
  };
}

function tailOf(text: string): string {
  const line = printableLine(text);
  return line.length > tailLength ? `…${line.slice(-tailLength)}` : line;
}
