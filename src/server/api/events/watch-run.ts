import type { Caller } from "../../../core/caller.ts";
import type { AgentEvent } from "../../../core/run/events.ts";
import type { Outcome } from "../../../core/run/outcome.ts";
import { createWaitLimit, sleep } from "../../../kit/async/timeout.ts";
import { findEndOfWait } from "../../../runs/find-moved.ts";
import type { RunHandle } from "../../../runs/live/run-handle.ts";
import { waitUntil } from "../../../runs/live/wait-until.ts";
import { releaseRun } from "../../../runs/run-service.ts";
import { createLeaveSignal, type HttpConnection } from "../../http/connection.ts";
import { closeWhenExpired } from "../../http/mcp/mcp-exchange.ts";
import type { RouteCall } from "../../http/routes.ts";
import type { ApiContext } from "../api-context.ts";
import type { FoundRun } from "../find-run.ts";
import { toRunLocation } from "../json-response.ts";
import { toTypedFrame } from "./event-frames.ts";
import { readLastId, unknownEventError } from "./event-headers.ts";
import { streamEvents } from "./event-stream.ts";

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
