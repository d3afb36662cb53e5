import type { AgentEvent } from "../../../../core/events.ts";
import { readEvents } from "../../run/read-run.ts";
import { pauseAfter } from "./pause.ts";
import { type OpenQuestion, readQuestion } from "./question.ts";
import { readMessages, type StreamMessage } from "./read-messages.ts";
import { RefusedError } from "./refused.ts";

/** What an attach to a run has told since the last time. */
export interface RunUpdate {
  readonly events: readonly AgentEvent[];
  /** What it asks now; null where it asks no more; undefined where nothing is said about it. */
  readonly question: OpenQuestion | null | undefined;
}

export interface FollowOptions {
  /** Opens the stream of what comes behind the event of this number; 0: of everything. */
  open(after: number, signal: AbortSignal): Promise<Response>;
  take(update: RunUpdate): void;
  /** Whether the server cannot be reached, each time that changes. */
  lose(isLost: boolean): void;
  /** Whether the server may give the run a little later. */
  mayPass(refused: RefusedError): boolean;
}

/** The server says something every ten seconds, if only that it is there; in milliseconds. */
const silenceMs = 35_000;

/**
 * Follows a run to its end, over connections that break. Each event is given once, in order. Rejects with `Refused` where the
 * server does not give the run.
 */
export async function followRun({ open, take, lose, mayPass }: FollowOptions): Promise<void> {
  let last = 0;
  let isOver = false;
  let failures = 0;

  const hear = (messages: readonly StreamMessage[]): void => {
    const events: unknown[] = [];
    let question: RunUpdate["question"];
    for (const { id, event, data } of messages) {
      const value = readJson(data);
      if (event === "question") question = readQuestion(value);
      else if (event === "question-closed") question = null;
      // Of a run of an earlier process the end alone is known, which has no number.
      if (event !== "run-end" && (id === "" || Number(id) <= last)) continue;
      last = Math.max(last, Number(id));
      events.push(value);
    }
    const told = readEvents(events);
    isOver ||= told.some(({ type }) => type === "run-end");
    if (told.length > 0 || question !== undefined) take({ events: told, question });
  };

  while (!isOver) {
    const attach = new AbortController();
    try {
      const response = await open(last, attach.signal);
      // Nothing more will come (HTML, 9.2.4).
      if (response.status === 204) isOver = true;
      await listen(response, attach, (messages) => {
        if (failures > 0) lose(false);
        failures = 0;
        hear(messages);
      });
    } catch (thrown) {
      if (thrown instanceof RefusedError && !mayPass(thrown)) {
        if (failures > 0) lose(false);
        throw thrown;
      }
    } finally {
      attach.abort();
    }
    if (isOver) break;
    failures += 1;
    if (failures === 1) lose(true);
    await pauseAfter(failures);
  }
  if (failures > 0) lose(false);
}

/** Ends when the stream does, or when it has been silent for too long. */
async function listen(
  response: Response,
  attach: AbortController,
  hear: (messages: readonly StreamMessage[]) => void,
): Promise<void> {
  if (response.body === null) return;
  let timer = setTimeout(() => attach.abort(), silenceMs);
  try {
    for await (const messages of readMessages(response.body)) {
      clearTimeout(timer);
      timer = setTimeout(() => attach.abort(), silenceMs);
      hear(messages);
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
