import { StringDecoder } from "node:string_decoder";
import { createParser } from "eventsource-parser";
import { badResponseError, type ErrorOrigin } from "../errors/errors.ts";
import type { IdleTimeout } from "./idle-timeout.ts";
import type { ResponseBody } from "./response-body.ts";
import type { ServerEvent } from "./turn-reader.ts";

/**
 * No turn is longer; a server that sends more is broken or hostile. The limit is in bytes for the stream, and in characters for
 * one event.
 */
const streamLimit = 64 * 1024 * 1024;
const eventLimit = 16 * 1024 * 1024;

/** Receives the events that arrived together. It returns true when nothing that follows is of interest. */
export type OnServerEvents = (events: ServerEvent[]) => boolean;

/**
 * Reads the server-sent events of an answer in batches, as they arrive. A body that is one JSON document becomes one event.
 * Resolves at the end of the body, or when `onEvents` has enough; the body stays open then, for its owner to close. Rejects with
 * `bad_response` for any other content type and for a body that is too long, with what `onEvents` throws, and with the reason of the
 * idle timeout as soon as that aborts: it is the signal of the request.
 */
export async function readServerEvents(
  body: ResponseBody,
  contentType: string,
  idleTimeout: IdleTimeout,
  origin: ErrorOrigin,
  onEvents: OnServerEvents,
): Promise<void> {
  if (/\b(html|xml|image|pdf)\b/i.test(contentType)) {
    throw badResponseError(origin, notAStream, { retryable: false, detail: contentType });
  }
  const whole = /\bjson\b/i.test(contentType);
  const reader = whole ? documentReader() : createEventReader(origin);
  let bytes = 0;
  const isEnough = await body.read((chunk) => {
    idleTimeout.heard();
    bytes += chunk.length;
    if (bytes > streamLimit) throw badResponseError(origin, tooLong, { retryable: false });
    const events = reader.feed(chunk);
    return events.length > 0 && onEvents(events);
  });
  if (isEnough) return;
  const rest = reader.finish();
  if (rest.length > 0) onEvents(rest);
}

export interface EventReader {
  feed(chunk: Buffer): ServerEvent[];
  finish(): ServerEvent[];
}

/** Takes bytes as they arrive and gives the events that are whole; `end` gives a last one without its empty line. */
export function createEventReader(origin: ErrorOrigin): EventReader {
  const decoder = new StringDecoder("utf8");
  let events: ServerEvent[] = [];
  let overflow = false;
  const parser = createParser({
    maxBufferSize: eventLimit,
    onEvent(event) {
      // An empty event is a heartbeat of some servers.
      const data = event.data.trim();
      if (data !== "") events.push({ event: event.event, data });
    },
    onError: (error) => {
      overflow ||= error.type === "max-buffer-size-exceeded";
    },
  });
  function take(text: string): ServerEvent[] {
    events = [];
    parser.feed(text);
    if (overflow) throw badResponseError(origin, tooLong, { retryable: false });
    return events;
  }
  return {
    feed: (chunk) => take(decoder.write(chunk)),
    // A last event without its empty line counts if it is whole; half of one is nothing.
    finish: () => take(`${decoder.end()}\n\n`).filter((event) => isWhole(event.data)),
  };
}

function documentReader(): EventReader {
  const chunks: Buffer[] = [];
  return {
    feed(chunk) {
      chunks.push(chunk);
      return [];
    },
    finish: () => [{ data: Buffer.concat(chunks).toString("utf8") }],
  };
}

function isWhole(data: string): boolean {
  if (data === "[DONE]") return true;
  try {
    JSON.parse(data);
    return true;
  } catch {
    return false;
  }
}

const notAStream = { zh: "返回的不是模型回答", en: "the response is not a model's answer" };
const tooLong = { zh: "返回内容过长", en: "the response is too long" };
