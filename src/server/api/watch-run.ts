import { showValue } from "../../core/tools/argument-feedback.ts";
import { releaseRun } from "../../runs/run-service.ts";
import { closeWhenExpired } from "../http/mcp/mcp-exchange.ts";
import { HttpRefusalError } from "../http/response/refusal.ts";
import type { RouteCall } from "../http/routes.ts";
import type { ApiContext } from "./api-context.ts";
import { toEventFrame } from "./event-frames.ts";
import { streamEvents } from "./event-stream.ts";
import type { FoundRun } from "./find-run.ts";
import { toRunLocation } from "./json-response.ts";

/**
 * Streams a run's events to one reader, which may leave and come back with `Last-Event-ID`. Throws `HttpRefusalError` when that
 * header is invalid.
 */
export function watchRun(api: ApiContext, { run, kept }: FoundRun, call: RouteCall): Response {
  const { request, connection } = call;
  const from = readLastId(request.headers);
  if (kept !== undefined)
    return toEventResponse(toEventFrame("run-end", { type: "run-end", outcome: kept }), kept.run_id);
  const { events, outcome } = run;
  const areKept = outcome === undefined || events.length > 0;
  if (areKept && from > events.length) throw unknownEventError(String(from), events.length);
  // This status asks clients not to come again (https://html.spec.whatwg.org/multipage/server-sent-events.html).
  if (outcome !== undefined && from > 0 && from === events.length) return new Response(null, { status: 204 });
  const { settings, takeFrames, times } = api;
  const holder = {};
  run.hold(holder);
  closeWhenExpired(call);
  const stream = streamEvents({
    run,
    from: Math.min(from, events.length),
    connection,
    takeFrames,
    times,
    onClose() {
      if (run.outcome !== undefined || settings.onDisconnect === "finish") return void run.release(holder);
      setTimeout(() => releaseRun(api, run, [holder]), times.comeBack).unref();
    },
  });
  return toEventResponse(stream, run.id);
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

function readLastId(headers: Headers): number {
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
