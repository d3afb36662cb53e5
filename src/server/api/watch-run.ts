import type { Caller } from "../../core/caller.ts";
import type { AgentEvent } from "../../core/run/events.ts";
import type { Outcome } from "../../core/run/outcome.ts";
import { showValue } from "../../core/tools/argument-feedback.ts";
import { createWaitLimit, sleep } from "../../kit/async/timeout.ts";
import { findEndOfWait } from "../../runs/find-moved.ts";
import type { RunHandle } from "../../runs/live/run-handle.ts";
import { waitUntil } from "../../runs/live/wait-until.ts";
import type { OpenQuestion } from "../../runs/questions/open-question.ts";
import { releaseRun } from "../../runs/run-service.ts";
import { createLeaveSignal, type HttpConnection } from "../http/connection.ts";
import { closeWhenExpired } from "../http/mcp/mcp-exchange.ts";
import { HttpRefusalError } from "../http/response/refusal.ts";
import type { RouteCall } from "../http/routes.ts";
import type { ApiContext, ApiTimes } from "./api-context.ts";
import { createDraftFrames, noDrafts } from "./draft-frames.ts";
import { type TakeFrames, toEventFrame, toTypedFrame } from "./event-frames.ts";
import type { FoundRun } from "./find-run.ts";
import { toRunLocation } from "./json-response.ts";
import { toQuestionJson } from "./reply.ts";

/**
 * Streams a run's events to one reader, which may leave and come back with `Last-Event-ID`. Throws `HttpRefusalError` when that
 * header is invalid.
 */
export async function watchRun(
  api: ApiContext,
  { run, kept }: FoundRun,
  call: RouteCall,
  drafts: boolean,
): Promise<Response> {
  const { request, connection } = call;
  const from = readLastId(request.headers);
  if (kept !== undefined) return watchKeptRun(api, { kept, from }, call);
  const { settings, takeFrames, times } = api;
  const waiter = {};
  run.addWaiter(waiter, waiter);
  const releaseHolder = (): void => {
    if (run.outcome !== undefined || (run.onDisconnect ?? settings.onDisconnect) === "finish")
      return void run.removeWaiter(waiter);
    setTimeout(() => releaseRun(api, run, [waiter]), times.comeBack).unref();
  };
  closeWhenExpired(call);
  await waitForKnownEvents(api, run, { from, connection });
  const { events, outcome } = run;
  const areKept = outcome === undefined || (events.length > 0 && !run.isElsewhere);
  if (areKept && from > events.length && !run.isMoved && !api.runs.closing.aborted) {
    releaseHolder();
    throw unknownEventError(String(from), events.length);
  }
  // This status asks clients not to come again (https://html.spec.whatwg.org/multipage/server-sent-events.html). An end without a number
  // may not have reached them.
  const hasAll = from > 0 && from === events.length && events.at(-1)?.type === "run-end";
  if (outcome !== undefined && hasAll) return new Response(null, { status: 204 });
  const stream = streamEvents({
    run,
    // Its reader comes back with the number of the last event, to a process that stays.
    until: findEndOfWait(api, run),
    from: Math.min(from, events.length),
    connection,
    takeFrames,
    drafts,
    times,
    onClose: releaseHolder,
  });
  return toEventResponse(stream, run.id);
}

/** Limits how long events that another process has told are waited for, in milliseconds. */
const knownEventsMs = 10_000;

/**
 * Waits for events that the reader has got from another process: an event is told there as soon as the database has it, and this one may
 * learn of it a moment later. Resolves without them where they do not come, the reader has gone, or this process ends.
 */
async function waitForKnownEvents(
  { duet, runs }: ApiContext,
  run: RunHandle,
  { from, connection }: { from: number; connection: HttpConnection },
): Promise<void> {
  if (!duet.storedRuns.areShared || from <= run.events.length || run.outcome !== undefined) return;
  const limit = createWaitLimit(knownEventsMs, AbortSignal.any([createLeaveSignal(connection), runs.closing]));
  void run.readNews?.();
  await waitUntil(run, () => run.events.length >= from, limit.signal);
  limit.clear();
}

/**
 * Returns the end of a run that this process did not carry out. A reader who comes back gets the events before it that are still
 * stored.
 */
async function watchKeptRun(
  { duet, takeFrames, times }: ApiContext,
  { kept, from }: { kept: Outcome; from: number },
  { caller, connection }: RouteCall,
): Promise<Response> {
  const end: AgentEvent = { type: "run-end", outcome: kept };
  const stored = from === 0 ? [] : await readStoredEvents(duet, kept.run_id, caller);
  const last = stored.at(-1);
  if (from > 0 && from === stored.length && last?.type === "run-end") return new Response(null, { status: 204 });
  if (from >= stored.length) return toEventResponse(toTypedFrame(end), kept.run_id);
  // What is stored of the end may name an internal cause.
  const events = last?.type === "run-end" ? [...stored.slice(0, -1), end] : stored;
  const began = performance.now();
  let next = from;
  const stream = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        await connection.drained();
        if (performance.now() - began > times.rest) return connection.drop();
        const { text, to } = takeFrames(events, next);
        next = to;
        controller.enqueue(Buffer.from(text));
        if (next < events.length) return;
        if (events === stored) controller.enqueue(Buffer.from(toTypedFrame(end)));
        controller.close();
      },
    },
    { highWaterMark: 0 },
  );
  return toEventResponse(stream, kept.run_id);
}

/** Limits how long the last events of a run are waited for once its end is stored, in milliseconds, and is how often they are looked for. */
const lastEventsMs = 1_000;
const lookEveryMs = 200;

/** The process of a run stores its last events after its end, and may be killed in between: the end is then told without a number. */
async function readStoredEvents(duet: ApiContext["duet"], runId: string, caller: Caller): Promise<AgentEvent[]> {
  for (let leftMs = duet.storedRuns.areShared ? lastEventsMs : 0; ; leftMs -= lookEveryMs) {
    const stored = await duet.storedRuns.listEvents(runId, caller);
    const last = stored.at(-1);
    if (last === undefined || last.type === "run-end" || leftMs <= 0) return stored;
    await sleep(lookEveryMs);
  }
}

function toEventResponse(body: string | ReadableStream, runId: string): Response {
  return new Response(body, {
    headers: {
      "content-type": "text/event-stream",
      "cache-control": "no-transform",
      // This asks proxies not to buffer what they pass on.
      "x-accel-buffering": "no",
      ...toRunLocation(runId),
    },
  });
}

/** Reads the number of the last event that a reader has. Throws `HttpRefusalError` for what is none. */
export function readLastId(headers: Headers): number {
  const text = headers.get("last-event-id")?.trim() ?? "";
  if (text === "") return 0;
  if (!/^\d{1,15}$/.test(text)) throw unknownEventError(text, undefined);
  return Number(text);
}

function unknownEventError(text: string, most: number | undefined): HttpRefusalError {
  const shown = showValue(text);
  const last = most === undefined ? "" : `, 0-${most}`;
  return new HttpRefusalError({
    status: 400,
    text: {
      zh: `Last-Event-ID ${shown} 不是此运行的事件编号（允许：收到过的 id${last}）`,
      en: `Last-Event-ID ${shown} is not an event of this run (allowed: an id that was received${last})`,
    },
  });
}

const wanted = ["application/json", "text/event-stream"] as const;

/**
 * Returns true when the client prefers events to a single answer, by the weights of `Accept` and, for equal weights, by their
 * order.
 */
export function isEventStreamPreferred({ headers }: Request): boolean {
  const ranges = (headers.get("accept") ?? "").toLowerCase().split(",");
  const rated = ranges.flatMap((range) => {
    const [name = "", ...parameters] = range.split(";").map((part) => part.trim());
    const type = wanted.find((known) => known === name);
    const weight = parameters.find((part) => part.startsWith("q="))?.slice(2);
    return type === undefined ? [] : [{ type, weight: weight === undefined ? 1 : Number(weight) || 0 }];
  });
  const [best] = rated.toSorted((one, other) => other.weight - one.weight);
  return best?.type === "text/event-stream" && best.weight > 0;
}

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
