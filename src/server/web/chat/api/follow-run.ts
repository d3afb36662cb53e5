import { createParser } from "eventsource-parser";
import type { AgentEvent } from "../../../../core/events.ts";
import { ignoreRejection } from "../../../../kit/async/ignore-rejection.ts";
import type { Locale } from "../../../../kit/locale.ts";
import { readEvents } from "../../run/read-run.ts";
import { ApiError, readRefusal } from "./api-error.ts";
import { type OpenQuestion, readQuestion } from "./question.ts";

/** Holds what a run's event stream has delivered since the last update. */
export interface RunUpdate {
  readonly events: readonly AgentEvent[];
  /** Holds the open question. It is null when the question is closed, and undefined when the update does not mention one. */
  readonly question: OpenQuestion | null | undefined;
}

export interface FollowOptions {
  /** Opens the stream of what comes behind the event of this number; 0: of everything. */
  open(after: number, signal: AbortSignal): Promise<Response>;
  handle(update: RunUpdate): void;
  /** Reports each time the server becomes unreachable or reachable again. */
  reportConnectivity(isLost: boolean): void;
  /** Returns true when the server may accept the request a little later. */
  mayPass(refused: ApiError): boolean;
}

/**
 * Silence longer than this, in milliseconds, is treated as a lost connection. The server sends at least a keep-alive every ten
 * seconds.
 */
const silenceMs = 35_000;

/**
 * Follows a run to its end, over connections that break. Each event is delivered once, in order. Rejects with `ApiError`
 * when the server does not deliver the run.
 */
export async function followRun({ open, handle, reportConnectivity, mayPass }: FollowOptions): Promise<void> {
  let last = 0;
  let isOver = false;
  let failures = 0;

  const handleMessages = (messages: readonly StreamMessage[]): void => {
    const events: unknown[] = [];
    let question: RunUpdate["question"];
    for (const { id, event, data } of messages) {
      const value = readJson(data);
      if (event === "question") question = readQuestion(value);
      else if (event === "question-closed") question = null;
      // Of a run of an earlier process the end alone is known, which has no number.
      // Drafts have none either.
      if (!/^(run-end|draft)/.test(event) && (id === "" || Number(id) <= last)) continue;
      last = Math.max(last, Number(id));
      events.push(value);
    }
    const delivered = readEvents(events);
    isOver ||= delivered.some(({ type }) => type === "run-end");
    if (delivered.length > 0 || question !== undefined) handle({ events: delivered, question });
  };

  while (!isOver) {
    const attach = new AbortController();
    try {
      const response = await open(last, attach.signal);
      // Nothing more will come (HTML, 9.2.4).
      if (response.status === 204) isOver = true;
      await listen(response, attach, (messages) => {
        if (failures > 0) reportConnectivity(false);
        failures = 0;
        handleMessages(messages);
      });
    } catch (thrown) {
      if (thrown instanceof ApiError && !mayPass(thrown)) {
        if (failures > 0) reportConnectivity(false);
        throw thrown;
      }
    } finally {
      attach.abort();
    }
    if (isOver) break;
    failures += 1;
    if (failures === 1) reportConnectivity(true);
    await pauseAfter(failures);
  }
  if (failures > 0) reportConnectivity(false);
}

/** Ends when the stream does, or when it has been silent for too long. */
async function listen(
  response: Response,
  attach: AbortController,
  onMessages: (messages: readonly StreamMessage[]) => void,
): Promise<void> {
  if (response.body === null) return;
  let timer = setTimeout(() => attach.abort(), silenceMs);
  try {
    for await (const messages of readMessages(response.body)) {
      clearTimeout(timer);
      timer = setTimeout(() => attach.abort(), silenceMs);
      onMessages(messages);
    }
  } finally {
    clearTimeout(timer);
  }
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Represents a message of an event stream. Missing fields are empty. */
interface StreamMessage {
  readonly id: string;
  readonly event: string;
  readonly data: string;
}

/**
 * Yields the messages of an event stream (HTML, 9.2.6), grouped as they arrived. A group is empty when only a comment arrived.
 */
export async function* readMessages(stream: ReadableStream<Uint8Array>): AsyncGenerator<readonly StreamMessage[]> {
  const reader = stream.getReader();
  const decoder = new TextDecoder();
  let messages: StreamMessage[] = [];
  const parser = createParser({
    onEvent({ id = "", event = "", data }) {
      if (data !== "") messages.push({ id, event, data });
    },
  });
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      messages = [];
      parser.feed(decoder.decode(value, { stream: true }));
      yield messages;
    }
  } finally {
    await ignoreRejection(reader.cancel(), "the connection is left in any case");
  }
}

const firstPauseMs = 500;
const longestPauseMs = 8_000;

/** Waits before a server that could not be reached is asked again: longer each time, up to eight seconds. `failures` counts from 1. */
export function pauseAfter(failures: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, Math.min(firstPauseMs * 2 ** (failures - 1), longestPauseMs));
  });
}

export interface SendOptions {
  readonly body?: object | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Limits how long the server may take to answer, in milliseconds. The time that a person takes to sign in does not count. */
  readonly limitMs?: number | undefined;
}

/**
 * Sends a request and returns its response. Rejects with `ApiError` when the server refuses it, and with the error of
 * `fetch` when the server cannot be reached.
 */
export type Send = (method: string, path: string, sending?: SendOptions) => Promise<Response>;

export interface SenderOptions {
  /** Is prefixed to each path, and is empty for the page's own origin. */
  readonly origin: string;
  token(): string | undefined;
  /** Is the language in which the server words what it refuses. */
  locale(): Locale;
  /**
   * Resolves when the user has signed in. Rejects when the signal aborts. `refused` is what the server said of the token, and undefined
   * for one that could not be sent.
   */
  signIn(signal: AbortSignal | undefined, refused: ApiError | undefined): Promise<void>;
}

/** Matches the tokens that a header can carry. With another one a browser sends nothing, as if the server could not be reached. */
const sendable = /^[ -~]*$/;

/** A request refused for a missing token waits for one and is sent again. */
export function createSender({ origin, token, locale, signIn }: SenderOptions): Send {
  return async (method, path, { body, headers, signal, limitMs } = {}) => {
    for (;;) {
      const used = token();
      if (used !== undefined && !sendable.test(used)) {
        await signIn(signal, undefined);
        continue;
      }
      const limits = [signal ?? [], limitMs === undefined ? [] : AbortSignal.timeout(limitMs)].flat();
      const response = await fetch(origin + path, {
        method,
        headers: {
          "accept-language": locale(),
          ...(body === undefined ? {} : { "content-type": "application/json" }),
          ...(used === undefined ? {} : { authorization: `Bearer ${used}` }),
          ...headers,
        },
        credentials: "same-origin",
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        ...(limits.length === 0 ? {} : { signal: AbortSignal.any(limits) }),
      });
      if (response.ok) return response;
      const refused = await readRefusal(response);
      if (refused.status !== 401) throw refused;
      if (token() === used) await signIn(signal, refused);
    }
  };
}
