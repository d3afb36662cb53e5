import type { AgentEvent } from "../run/events.ts";
import type { Delivery } from "../run/run-inbox.ts";
import type { InterruptedRun } from "./journal.ts";
import type { AskedQuestion, PostedQuestion, RunMessage } from "./run-mailbox.ts";

/** Lets the processes that share a store follow and steer the runs of each other. Its methods may reject as those of the store do. */
export interface SharedRuns {
  /** Is false where each process knows only its own runs. Then nothing is found, and nobody need wait for that. */
  readonly isShared: boolean;
  /** Returns an owner's run that has not ended. */
  find(runId: string, owner: string | undefined): Promise<SharedRun | undefined>;
  /** Lists an owner's runs that go on, the newest first. */
  list(owner: string | undefined): Promise<SharedRun[]>;
  /** Lists those of them that were asked for with this key, as `list` does. */
  listSame(key: string, owner: string | undefined): Promise<SharedRun[]>;
  /** Returns what is new since the event of that number, counted from 0. */
  read(runId: string, from: number): Promise<RunUpdate>;
  /** Calls `listener` whenever there may be news of the run, until the returned function is called. */
  watch(runId: string, listener: () => void): () => void;
  /** Says something to the process that carries out the run, or to the next one that does. */
  send(runId: string, message: Exclude<RunMessage, { type: "answer" | "say" | "join" }>): Promise<void>;
  /**
   * Says to a run what a person says, and returns what has become of it. Undefined where no process has read it in time: none will read it
   * then.
   */
  say(runId: string, text: string): Promise<Delivery | undefined>;
  /**
   * Asks the process that carries out the run whether somebody who asks the same again may have it: false where another session waits
   * for it, and where it ends. Undefined where no process has read it in time.
   */
  join(runId: string, sessionId?: string): Promise<boolean | undefined>;
  /** Answers a question. Of several answers, in any process, one counts: false for all others. */
  answer(runId: string, questionId: string, reply: unknown): Promise<boolean>;
  /** Lists the questions of a run that wait or were answered, also after its end for a while. */
  listQuestions(runId: string): Promise<AskedQuestion[]>;
}

export interface SharedRun extends InterruptedRun {
  /** Is true while a process that lives carries it out. */
  isHeld: boolean;
  /** Is true while it waits for a person. */
  waits: boolean;
  /** Is how long ago its last step was recorded, in milliseconds of the store's clock. */
  ageMs: number;
}

export interface RunUpdate {
  events: readonly AgentEvent[];
  /** Is the question that waits for a person. */
  question: PostedQuestion | undefined;
  /** Is true when no process adds an event any more, or only the last one. */
  isOver: boolean;
}

/** Is what a store gives whose runs belong to one process. */
export const localRuns: SharedRuns = {
  isShared: false,
  find: async () => undefined,
  list: async () => [],
  listSame: async () => [],
  read: async () => ({ events: [], question: undefined, isOver: true }),
  watch: () => () => {},
  async send() {},
  say: async () => "after_run",
  join: async () => false,
  answer: async () => false,
  listQuestions: async () => [],
};
