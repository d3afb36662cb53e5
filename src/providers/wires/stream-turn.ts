import {
  type ModelEvent,
  type ModelRequest,
  type OnModelEvent,
  type Turn,
  toModelName,
  type Usage,
} from "../../core/model/model.ts";
import type { ModelSettings } from "../../core/model/model-settings.ts";
import type { Notice } from "../../core/run/events.ts";
import { DuetError, toDuetError } from "../../kit/errors.ts";
import { say } from "../../kit/locale.ts";
import type { Mutable } from "../../kit/mutable.ts";
import { ProxyError } from "../../kit/net/proxy-errors.ts";
import { connectionError, httpError, idleTimeoutError, keyError } from "../errors/errors.ts";
import { estimateMessageTokens, estimateTokens, estimateToolTokens } from "../estimate-tokens.ts";
import { createIdleTimeout } from "./idle-timeout.ts";
import { ConnectTimeout } from "./model-connections.ts";
import type { ResponseBody } from "./response-body.ts";
import { readServerEvents } from "./server-events.ts";
import { HttpRefusal, type TransportResponse } from "./transport.ts";
import type { ServerEvent, TurnReader } from "./turn-reader.ts";

/** Holds what differs between wires in a call; the rest is the same for all of them. */
export interface WireCall {
  settings: ModelSettings;
  request: ModelRequest;
  reader: TurnReader;
  /** Sends the request. Throws a `Refusal` for an error status. */
  send(signal: AbortSignal): Promise<TransportResponse>;
}

/**
 * Streams one turn. Rejects with a `DuetError` for every failure, with the signal's own reason when that aborts, and with what
 * `onEvent` throws; the socket is closed at once then. What a failed attempt used is told as `spent` before that.
 */
export async function streamTurn(call: WireCall, onEvent: OnModelEvent, signal: AbortSignal): Promise<Turn> {
  const { settings, reader, request } = call;
  signal.throwIfAborted();
  checkKey(settings);
  const idleTimeout = createIdleTimeout(settings, signal);
  const receiver = createReceiver(onEvent, idleTimeout.signal);
  let body: ResponseBody | undefined;
  let complete = false;
  try {
    const answer = await call.send(idleTimeout.signal);
    body = answer.body;
    idleTimeout.heard();
    await readServerEvents(body, answer.contentType, idleTimeout, settings, (events) => {
      const out: ModelEvent[] = [];
      const failed = readAll(events, reader, out);
      idleTimeout.sent(reader.sent);
      for (const event of out) receiver.tell(event);
      if (failed) throw failed;
      return reader.done;
    });
    idleTimeout.signal.throwIfAborted();
    const turn = { ...reader.finishTurn(), usage: toTurnUsage(request, reader) };
    const odd = findOddResponse(call);
    if (odd) receiver.tell(odd);
    complete = true;
    return turn;
  } catch (thrown) {
    const error = receiver.hasThrown ? thrown : toTurnError(thrown, call, { caller: signal, idle: idleTimeout.signal });
    // A vendor that has accepted the request reads it, and bills that, although it was stopped before its first word.
    const wasStopped = body !== undefined && idleTimeout.signal.aborted;
    const usage = toFailureUsage(request, reader, wasStopped);
    if (usage) receiver.tellLast({ type: "spent", usage });
    throw error;
  } finally {
    idleTimeout.close();
    body?.close(complete);
  }
}

/** Tells the caller what happens. */
interface Receiver {
  /** Throws what the caller throws, and the signal's reason when the caller aborts that meanwhile. */
  tell(event: ModelEvent): void;
  /** Tells of a turn that has failed. Its error stands, whatever the caller throws now. */
  tellLast(event: ModelEvent): void;
  /** Is true once the caller has thrown, which is no failure of the model. */
  readonly hasThrown: boolean;
}

function createReceiver(onEvent: OnModelEvent, signal: AbortSignal): Receiver {
  const receiver: Mutable<Receiver> = {
    hasThrown: false,
    tell(event) {
      signal.throwIfAborted();
      try {
        onEvent(event);
      } catch (thrown) {
        receiver.hasThrown = true;
        throw thrown;
      }
    },
    tellLast(event) {
      try {
        onEvent(event);
      } catch {
        // The turn ends with its own error.
      }
    },
  };
  return receiver;
}

/**
 * Tells the log that a response had another shape than the wire's, and was read all the same
 * (docs/development/model-invocation.md#处理格式异常).
 */
function findOddResponse({ reader, settings, request }: WireCall): Notice | undefined {
  const { oddities = [] } = reader;
  if (oddities.length === 0) return undefined;
  const name = toModelName(settings);
  const message = say(request.locale ?? "en", {
    zh: `${name} 的响应格式与预期不符（${oddities.map(({ zh }) => zh).join("；")}），能读出的内容已作为回答`,
    en: `${name} answered in an unexpected format (${oddities.map(({ en }) => en).join("; ")}); the readable part is used as its answer`,
  });
  return { type: "notice", level: "warning", code: "odd-response", message, forLog: true };
}

/**
 * Events before an error are still emitted, however the bytes were split, so the error is returned and thrown later. Events that
 * came with the error are read for the usage in them.
 */
function readAll(events: readonly ServerEvent[], reader: TurnReader, out: ModelEvent[]): DuetError | undefined {
  let failed: DuetError | undefined;
  for (const event of events)
    try {
      if (!reader.done) reader.read(event, failed === undefined ? out : []);
    } catch (thrown) {
      failed ??= toDuetError(thrown);
    }
  return failed;
}

/** Throws before anything is sent, so that a vendor that needs a key gets no request without one. */
function checkKey(settings: ModelSettings): void {
  if (settings.apiKeyEnv === undefined && settings.apiKey === undefined) return;
  if (!settings.apiKey || !/^[\x21-\x7e]+$/.test(settings.apiKey)) throw keyError(settings);
}

function toTurnError(
  thrown: unknown,
  call: WireCall,
  { caller, idle }: Record<"caller" | "idle", AbortSignal>,
): unknown {
  // The status of a refusal is known although its body has taken too long.
  if (thrown instanceof HttpRefusal && !caller.aborted) return httpError(thrown, call.settings);
  if (idle.aborted) return idle.reason;
  if (thrown instanceof DuetError && !(thrown instanceof ProxyError)) return thrown;
  if (thrown instanceof ConnectTimeout) return idleTimeoutError(call.settings, noConnectionError(thrown.limitMs));
  return connectionError(thrown, call.settings);
}

function noConnectionError(ms: number) {
  return { zh: `${ms / 1000} 秒内没有建立连接（超时）`, en: `timed out: no connection within ${ms / 1000} s` };
}

/** Holds what the reader knows about the tokens of its turn so far. */
export type ReceivedTurn = Pick<TurnReader, "usage" | "written" | "done">;

/**
 * Returns the usage of a turn, estimated where the vendor reported none, because a budget must also hold for vendors that do not
 * count. Reported usage is never replaced by an estimate.
 */
function toTurnUsage(request: ModelRequest, received: ReceivedTurn): Usage {
  const { usage } = received;
  const inputTokens = usage.inputTokens || estimateMessageTokens(request.messages) + estimateToolTokens(request.tools);
  const outputTokens = usage.outputTokens || estimateTokens(received.written);
  if (inputTokens === usage.inputTokens && outputTokens === usage.outputTokens) return usage;
  return { ...usage, inputTokens, outputTokens, estimated: true };
}

/**
 * Returns the usage of an attempt that produced no turn, or undefined when nothing shows that it reached the model. `wasStopped` is
 * true where we ended an attempt that the vendor had accepted.
 */
export function toFailureUsage(request: ModelRequest, received: ReceivedTurn, wasStopped: boolean): Usage | undefined {
  const { usage, done, written } = received;
  const isReached = wasStopped || done || usage.inputTokens > 0 || usage.outputTokens > 0 || written !== "";
  return isReached ? toTurnUsage(request, received) : undefined;
}
