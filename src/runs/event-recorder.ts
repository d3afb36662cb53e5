import { isDraftEvent } from "../core/drafts.ts";
import type { AgentEvent } from "../core/events.ts";
import { LostRunError, type RunJournal } from "../core/store/journal.ts";
import { localMailbox } from "../core/store/run-mailbox.ts";
import { ignoreRejection } from "../kit/async/ignore-rejection.ts";
import { sleep } from "../kit/async/timeout.ts";
import { DuetError } from "../kit/errors.ts";
import { joinPieces } from "./join-pieces.ts";

/** Passes on the events of a run once they are recorded, so that no reader knows a number that a later process does not. */
export interface EventRecorder {
  add(event: AgentEvent): void;
  /** Resolves when everything that was added has been passed on. Never rejects. */
  finish(): Promise<void>;
}

export interface EventRecorderOptions {
  journal: Pick<RunJournal, "addEvents" | "mailbox">;
  /** Is the number of the first event. */
  from: number;
  handle(event: AgentEvent): void;
  /** Is called where readers get no further event here: another process goes on with the run, or the store is away for too long. */
  onLost?(): void;
}

/** Is how often a store of several processes is tried again, and for how long, in milliseconds. */
const retryMs = 250;
const longestOutageMs = 600_000;

/** Is how long a piece of text may wait for more of it after the last record, in milliseconds. */
const paceMs = 25;

/** Pieces of text are joined up to this length, in UTF-16 units. */
const longestPiece = 4000;

/**
 * Other events than text are recorded at once, with those of the same turn of the event loop. A failing store delays nothing where this
 * process alone reads the run; where others do, an event that is not recorded is told to nobody.
 */
export function createEventRecorder({ journal, from, handle, onLost }: EventRecorderOptions): EventRecorder {
  const { mailbox = localMailbox } = journal;
  let waiting: AgentEvent[] = [];
  let next = from;
  let lastAt = Number.NEGATIVE_INFINITY;
  let timer: NodeJS.Timeout | undefined;
  let recording: Promise<void> | undefined;
  let isRecording = false;
  let hasFailed = false;
  let isLost = false;

  async function record(): Promise<void> {
    isRecording = true;
    while (waiting.length > 0) {
      const events = waiting;
      waiting = [];
      const recorded = events.filter((event) => !isDraftEvent(event));
      if (recorded.length > 0) {
        lastAt = performance.now();
        // The run itself tells that it is not recorded.
        if (!hasFailed) hasFailed = !(await store(recorded));
        // What comes after the loss is for nobody.
        if (isLost) return;
        next += recorded.length;
      }
      for (const event of events) handle(event);
    }
    isRecording = false;
  }

  /** Where nobody can say it, nobody here reads on. */
  async function isTaken(): Promise<boolean> {
    return (await ignoreRejection(mailbox.isTaken(), "readers come back, and find what has become of it")) ?? true;
  }

  /** Returns false where the events are not stored. */
  async function store(events: readonly AgentEvent[]): Promise<boolean> {
    for (let leftMs = longestOutageMs; ; leftMs -= retryMs) {
      try {
        await journal.addEvents(next, events);
        return true;
      } catch (thrown) {
        const mayPass = thrown instanceof DuetError && thrown.retryable && mailbox.isShared;
        isLost = (mayPass && leftMs <= 0) || (thrown instanceof LostRunError && (await isTaken()));
        if (isLost) onLost?.();
        if (isLost || !mayPass) return false;
      }
      await sleep(retryMs);
    }
  }

  function start(): void {
    clearTimeout(timer);
    timer = undefined;
    // What was waited for may have been recorded meanwhile.
    if (!isRecording && waiting.length > 0) recording = record();
  }

  return {
    add(event) {
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
    async finish() {
      start();
      await recording;
    },
  };
}
