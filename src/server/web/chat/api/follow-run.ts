import type { AgentEvent } from "../../../../core/run/events.ts";
import { tryParseJson } from "../../../../kit/json.ts";
import { readEvents } from "../../run/read-run.ts";
import { ApiError } from "./api-error.ts";
import { listen, type StreamMessage } from "./event-stream.ts";
import { pauseAfter } from "./pause-after.ts";
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
      const value = tryParseJson(data);
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
