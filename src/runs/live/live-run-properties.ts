import type { AgentEvent } from "../../core/run/events.ts";
import type { Outcome } from "../../core/run/outcome.ts";
import type { RunJournal } from "../../core/store/journal.ts";
import type { AskedQuestion } from "../../core/store/run-mailbox.ts";
import type { ErrorReport } from "../../kit/errors.ts";
import type { OpenQuestion } from "../questions/open-question.ts";
import type { QuestionQueue } from "../questions/question-queue.ts";
import type { EventLog } from "./event-log.ts";
import type { LiveDraft, RunHandle } from "./run-handle.ts";
import type { RunSnapshot } from "./run-snapshot.ts";

/** Holds what a run in this process has come to so far. */
export interface LiveRunState {
  draft: LiveDraft | undefined;
  outcome: Outcome | undefined;
  fault: ErrorReport | undefined;
  journal: RunJournal | undefined;
  /** Is true once it has turned out that another process goes on with the run, even where this one had done all but store its end. */
  isLost: boolean;
}

export interface LiveRunParts {
  state: LiveRunState;
  snapshot: RunSnapshot;
  log: EventLog;
  questions: QuestionQueue;
  stopSignal: AbortSignal;
  /** Is true where the caller keeps the conversation itself. */
  keepsHistory: boolean;
}

/** Tells what changes while a run goes on. It is a class for the reason that `Mutable` gives. */
export class LiveRunProperties
  implements
    Pick<
      RunHandle,
      | "conversationId"
      | "events"
      | "draft"
      | "outcome"
      | "fault"
      | "open"
      | "answered"
      | "changedAt"
      | "isMoved"
      | "isStopping"
      | "eventWeight"
    >
{
  readonly #parts: LiveRunParts;

  constructor(parts: LiveRunParts) {
    this.#parts = parts;
  }

  get conversationId(): string {
    return this.#parts.keepsHistory ? "" : this.#parts.snapshot.conversationId;
  }

  get events(): readonly AgentEvent[] {
    return this.#parts.log.events;
  }

  get draft(): LiveDraft | undefined {
    return this.#parts.state.draft;
  }

  get outcome(): Outcome | undefined {
    return this.#parts.state.outcome;
  }

  get fault(): ErrorReport | undefined {
    return this.#parts.state.fault;
  }

  get open(): OpenQuestion | undefined {
    return this.#parts.questions.open;
  }

  get answered(): readonly AskedQuestion[] {
    return this.#parts.questions.answered;
  }

  get changedAt(): number {
    return this.#parts.log.changedAt;
  }

  get isMoved(): boolean {
    const { isLost, journal } = this.#parts.state;
    return isLost || (journal?.moved?.aborted ?? false);
  }

  get isStopping(): boolean {
    return this.#parts.stopSignal.aborted;
  }

  get eventWeight(): number {
    return this.#parts.log.weight;
  }
}
