import type { AgentEvent } from "../../../core/run/events.ts";
import { createTimeLimit, timeoutError } from "../../../kit/async/timeout.ts";
import { waitUntil } from "../../../runs/live/wait-until.ts";
import type { HttpRefusal } from "../../http/response/dialects.ts";
import { HttpRefusalError, toRetryResponse } from "../../http/response/refusal.ts";
import { toAnswerEnd } from "./answer-end.ts";
import { type AnswerEvent, followAnswer } from "./answer-events.ts";
import type { OpenedAnswer } from "./open-answer.ts";

/** Writes an answer as the server-sent events of a wire. Each function returns the text to send, which may be empty. */
export interface AnswerWriter {
  open(): string;
  write(event: AnswerEvent): string;
  /** Is called after the last event. */
  close(): string;
}

/**
 * Returns the response that streams an answer. Throws `HttpRefusalError` where the run has failed before it said anything. The stream
 * ends with the answer.
 */
export async function streamAnswer(answer: OpenedAnswer, writer: AnswerWriter): Promise<Response> {
  const refusal = await findEarlyRefusal(answer, "all");
  if (refusal) throw new HttpRefusalError(refusal);
  return new Response(createAnswerStream(answer, writer), {
    headers: {
      "x-request-id": answer.run.id,
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "no-transform",
      "x-accel-buffering": "no",
    },
  });
}

function createAnswerStream(answer: OpenedAnswer, writer: AnswerWriter): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const stop = new AbortController();
  return new ReadableStream({
    start(controller) {
      const send = (text: string): void => {
        if (text !== "" && !stop.signal.aborted) controller.enqueue(encoder.encode(text));
      };
      send(writer.open());
      void followAnswer(answer, (event) => send(writer.write(event)), stop.signal).then(() => {
        if (stop.signal.aborted) return;
        send(writer.close());
        controller.close();
      });
    },
    cancel() {
      stop.abort();
    },
  });
}

/** Limits how long the response head of a stream waits for the run's first output, in milliseconds. */
const longestHeadMs = 2000;

/**
 * Waits until the run says something or is over, and gives the refusal of one that has failed by then: clients obey a status, its
 * `Retry-After` and `x-should-retry`. After an error within a stream that has begun, Claude Code asks again without a stream. Codex
 * asks again after every status: `"retried"` refuses only what should be asked again later.
 */
export async function findEarlyRefusal(
  { run, locale, left }: OpenedAnswer,
  which: "all" | "retried",
): Promise<HttpRefusal | undefined> {
  const limit = createTimeLimit(longestHeadMs, () => timeoutError("head", longestHeadMs), left);
  const isSilent = (): boolean =>
    run.draft === undefined && run.clientCalls.rounds.length === 0 && !run.events.some(isUnderWay);
  await waitUntil(run, () => !isSilent(), limit.signal);
  limit.clear();
  if (run.outcome === undefined) return undefined;
  if (toRetryResponse(run.outcome) === undefined && !(which === "all" && isSilent())) return undefined;
  const ending = toAnswerEnd(run.outcome, locale);
  return "failure" in ending ? ending.failure : undefined;
}

/**
 * Returns true when the model writes, a tool runs, or the run waits for something. The response then no longer waits for the
 * run's end.
 */
function isUnderWay(event: AgentEvent): boolean {
  if (event.type === "notice") return event.code === "retry";
  return !["run-start", "phase-start", "phase-end", "run-end"].includes(event.type);
}
