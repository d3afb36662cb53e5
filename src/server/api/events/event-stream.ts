import type { RunHandle } from "../../../runs/live/run-handle.ts";
import type { OpenQuestion } from "../../../runs/questions/open-question.ts";
import type { HttpConnection } from "../../http/connection.ts";
import type { ApiTimes } from "../api-context.ts";
import { toQuestionJson } from "../reply.ts";
import { createDraftFrames, noDrafts } from "./draft-frames.ts";
import { type TakeFrames, toEventFrame, toTypedFrame } from "./event-frames.ts";

export interface EventStreamOptions {
  run: RunHandle;
  /** Is the number of events that the reader already has. */
  from: number;
  connection: Pick<HttpConnection, "drained" | "drop">;
  takeFrames: TakeFrames;
  /** Is true for a reader who takes text back. */
  drafts?: boolean;
  times: Pick<ApiTimes, "keepAlive" | "rest">;
  /** Ends the stream, without the end of the run. */
  until?: AbortSignal | undefined;
  /** Runs once, when the reader has everything or has left. */
  onClose(): void;
}

/**
 * Streams a run's events as server-sent events: first the earlier ones, then each as it happens, with the run's questions
 * between them. The stream ends with the run. A reader is an index into the list that the run keeps anyway, and nothing is
 * rendered until the reader has taken the previous piece, so a slow reader holds at most one piece in memory.
 */
export function streamEvents(options: EventStreamOptions): ReadableStream<Uint8Array> {
  const { run, connection, takeFrames, times, until, onClose } = options;
  // Once the run lets go of them, this reader still has them.
  const { events } = run;
  let next = options.from;
  let shown: OpenQuestion | undefined;
  const drafts = options.drafts ? createDraftFrames(run) : noDrafts;
  let endedAt: number | undefined;
  let isOver = false;
  let isGone = false;
  let quiet = new AbortController();
  const wake = (): void => quiet.abort();
  const keepAlive = setTimeout(wake, times.keepAlive);
  until?.addEventListener("abort", wake, { once: true });

  function close(): void {
    if (isGone) return;
    isGone = true;
    clearTimeout(keepAlive);
    until?.removeEventListener("abort", wake);
    wake();
    onClose();
  }

  /** Returns the text that is ready to send, or an empty string. */
  function renderNews(): string {
    let text = drafts.renderEnd();
    if (shown?.closed.aborted) {
      text += toEventFrame("question-closed", { question_id: shown.id });
      shown = undefined;
    }
    if (next < events.length) {
      const frames = takeFrames(events, next);
      next = frames.to;
      text += frames.text;
    }
    if (next < events.length) return text;
    return text + drafts.renderNews() + renderNewQuestion() + renderEnd();
  }

  function renderNewQuestion(): string {
    const { open, locale } = run;
    if (open === undefined || open === shown) return "";
    const question = toQuestionJson(open, locale);
    if (question === undefined) {
      void open.withdraw();
      return "";
    }
    shown = open;
    return toEventFrame("question", question);
  }

  /** For a run that never began, or whose events are no longer kept, only the outcome is sent. */
  function renderEnd(): string {
    const { outcome } = run;
    if (outcome === undefined) return "";
    isOver = true;
    run.isDelivered = true;
    // Its end is told where it goes on: who comes back gets it there.
    return events.at(-1)?.type === "run-end" || run.isMoved ? "" : toTypedFrame({ type: "run-end", outcome });
  }

  function isLate(): boolean {
    if (run.outcome === undefined) return false;
    endedAt ??= performance.now();
    return performance.now() - endedAt > times.rest;
  }

  /** Returns the next piece, or undefined after the last one. */
  async function take(): Promise<string | undefined> {
    for (;;) {
      await connection.drained();
      if (isOver || isGone) return undefined;
      if (until?.aborted) {
        isOver = true;
        return undefined;
      }
      if (isLate()) {
        connection.drop();
        return undefined;
      }
      const text = renderNews();
      if (text !== "" || isOver) {
        keepAlive.refresh();
        return text;
      }
      if (quiet.signal.aborted) {
        quiet = new AbortController();
        keepAlive.refresh();
        return ": keep-alive\n\n";
      }
      await run.waitForEvent(quiet.signal);
    }
  }

  return new ReadableStream<Uint8Array>(
    {
      start: (controller) => controller.enqueue(Buffer.from("retry: 1000\n\n")),
      async pull(controller) {
        const text = await take();
        if (isGone) return;
        if (text) controller.enqueue(Buffer.from(text));
        if (!isOver && text !== undefined) return;
        controller.close();
        close();
      },
      cancel: close,
    },
    { highWaterMark: 0 },
  );
}
