import { isDraftEvent } from "../../core/run/drafts.ts";
import type { AgentEvent } from "../../core/run/events.ts";
import { LostRunError, type RunJournal } from "../../core/store/journal.ts";
import { ignoreRejection } from "../../kit/async/ignore-rejection.ts";
import { joinPieces } from "../outcomes/join-pieces.ts";

/** Passes on the events of a run once they are recorded, so that no reader knows a number that a later process does not. */
export interface EventRecorder {
  add(event: AgentEvent): void;
  /** Resolves when everything that was added so far has been passed on, or never will be. Never rejects. */
  flush(): Promise<void>;
  /** Resolves when everything that was added has been passed on. Rejects with why the rest is told by another process. */
  finish(): Promise<void>;
}

export interface EventRecorderOptions {
  journal: Pick<RunJournal, "addEvents" | "moved">;
  /** Is the number of the first event. */
  from: number;
  handle(event: AgentEvent): void;
}

/** Is how long a piece of text may wait for more of it after the last record, in milliseconds. */
const paceMs = 25;

/** Pieces of text are joined up to this length, in UTF-16 units. */
const longestPiece = 4000;

/**
 * Other events than text are recorded at once, with those of the same turn of the event loop. A failing store delays nothing where this
 * process alone reads the run; where others do, an event that is not recorded is told to nobody.
 */
export function createEventRecorder({ journal, from, handle }: EventRecorderOptions): EventRecorder {
  let waiting: AgentEvent[] = [];
  let next = from;
  let lastAt = Number.NEGATIVE_INFINITY;
  let timer: NodeJS.Timeout | undefined;
  let recording: Promise<void> | undefined;
  let isRecording = false;
  let hasFailed = false;
  /** Holds why another process tells what follows. */
  let lost: { reason: unknown } | undefined;

  async function record(): Promise<void> {
    isRecording = true;
    while (waiting.length > 0) {
      const events = waiting;
      waiting = [];
      const recorded = events.filter((event) => !isDraftEvent(event));
      if (recorded.length > 0) {
        lastAt = performance.now();
        try {
          if (!hasFailed) await journal.addEvents(next, recorded);
        } catch (thrown) {
          if (journal.moved && (journal.moved.aborted || thrown instanceof LostRunError)) {
            lost = { reason: thrown };
            waiting = [];
            return;
          }
          // The run itself tells that it is not recorded.
          hasFailed = true;
        }
        next += recorded.length;
      }
      for (const event of events) handle(event);
    }
    isRecording = false;
  }

  function start(): void {
    clearTimeout(timer);
    timer = undefined;
    // What was waited for may have been recorded meanwhile.
    if (!isRecording && waiting.length > 0) recording = record();
  }

  return {
    add(event) {
      // It is told by the process that goes on with the run, and may be another one there.
      if (lost !== undefined) return;
      const last = waiting.at(-1);
      const joined = last && joinPieces(last, event, longestPiece);
      if (joined) waiting[waiting.length - 1] = joined;
      else waiting.push(event);
      // A draft has no number, so it waits only for what came before it; its end comes together with what it was.
      if (isDraftEvent(event) && (waiting.length > 1 || event.type === "draft-end")) return;
      const isText = "text" in event && !isDraftEvent(event);
      const leftMs = isText && !hasFailed ? lastAt + paceMs - performance.now() : 0;
      if (leftMs <= 0) start();
      else timer ??= setTimeout(start, leftMs);
    },
    async flush() {
      start();
      await ignoreRejection(recording, "`finish` rejects with it");
    },
    async finish() {
      start();
      await recording;
      if (lost !== undefined) throw lost.reason;
    },
  };
}
