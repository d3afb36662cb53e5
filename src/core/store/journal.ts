import { isRecord } from "../../kit/json.ts";
import type { Locale } from "../../kit/locale.ts";
import type { AnswerForm } from "../answer-form.ts";
import type { Chain } from "../chain.ts";
import type { AgentEvent } from "../events.ts";
import type { StoredBytes } from "../files/run-files.ts";
import type { FolderInstructions } from "../folder-instructions.ts";
import type { LimitCeilings, RunLimits } from "../limits.ts";
import type { FileRef } from "../messages.ts";
import type { ToolChoice } from "../model.ts";
import type { Mode } from "../outcome.ts";
import type { QuestionKind } from "../questions/user-question.ts";

/**
 * Records the finished steps of runs, so that a run can go on when its process has ended. Steps are known by their names and never
 * by their position. Several processes may share one journal, and each run belongs to one of them. Every method may reject with
 * a `DuetError` that says what is wrong with the store.
 */
export interface Journal {
  /** Records a run that is about to begin. It belongs to this process. */
  begin(run: NewRunRecord): Promise<RunJournal>;
  /** Lists the runs of all owners that have not ended and whose process is gone, oldest first; of one conversation, if it is given. */
  listInterrupted(conversationId?: string): Promise<InterruptedRun[]>;
  /** Is true while a process that lives carries out the run, this one included. */
  isGoing(runId: string): Promise<boolean>;
  /**
   * Takes a run whose process is gone for this process. Of several concurrent calls, in any process, only one gets it; undefined
   * for all others, and for a run that has ended or must not be resumed.
   */
  take(runId: string): Promise<TakenRun | undefined>;
  /** Returns the events that readers of a run may have received, in order. They are kept for an hour after its end. */
  events(runId: string, owner: string | undefined): Promise<AgentEvent[]>;
}

/** Records what happens in one run of this process. What a method has resolved for survives the end of the process. */
export interface RunJournal {
  readonly runId: string;
  /** Rejects with a `LostRunError` where the run belongs to another process, or is not recorded any more. */
  add(step: NewStep): Promise<void>;
  /** Records events of which the first has the number `from`, counted from 0. Rejects as `add` does. */
  addEvents(from: number, events: readonly AgentEvent[]): Promise<void>;
  /** Prevents that anybody resumes the run: a person or a host has ended it, or a step of it could not be recorded. */
  forbid(reason: "stopped" | "unrecorded"): Promise<void>;
}

export interface NewStep {
  name: string;
  /** Counts the milliseconds that the run had spent when the step was finished. */
  spentMs: number;
  /** Is stored as JSON. */
  data: unknown;
  /** Holds the bytes of what the step names. They are kept until the run ends. */
  files?: readonly StoredBytes[] | undefined;
}

export interface RecordedStep extends Omit<NewStep, "files"> {
  /** Holds ISO 8601, UTC. */
  at: string;
}

export interface NewRunRecord {
  runId: string;
  owner: string | undefined;
  /** Is the conversation with which the record is removed. */
  conversationId: string;
  header: RunHeader;
  /** Holds the bytes of what came with the question. They are kept until the run ends. */
  files?: readonly StoredBytes[] | undefined;
}

/** Names the interface through which a run was asked for: whoever serves it can go on with the run. */
export type Entrance = "http" | "stdio" | "terminal" | "library";

/** Holds what must not change when a run goes on in another process. */
export interface RunHeader {
  entrance: Entrance;
  question: string;
  mode: Mode;
  traceId: string;
  /** Marks untrusted text in the prompts of the run. */
  marker: string;
  locale: Locale;
  language: Locale;
  instruction?: string | undefined;
  /** Holds the instructions of the folder, as the run was given them. */
  folderInstructions?: readonly FolderInstructions[] | undefined;
  search?: boolean | undefined;
  /** Is what the models are told of the answer's form. */
  answerFormat?: AnswerForm["format"] | undefined;
  stop?: readonly string[] | undefined;
  toolChoice?: ToolChoice | undefined;
  isInteractive?: boolean | undefined;
  goesOn?: boolean | undefined;
  limits: RunLimits & {
    maxParallel: number;
    repeatable: readonly string[];
    minResultLength: number;
    stopWhenSufficient: boolean;
    onLimit?: "stop" | "ask" | undefined;
    finishAnswer?: boolean | undefined;
    sources?: { readonly [Field in "tokenBudget" | "costBudget"]?: { setting: string; value: number } } | undefined;
    ceilings?: LimitCeilings | undefined;
    acceptAnswer?: boolean | undefined;
  };
  planPolicy: { unattended: "run" | "stop"; onFailure: "replan" | "skip" | "stop"; retries: number };
  chain?: Chain | undefined;
  /** Names the images and documents of the question. Their bytes are recorded beside it. */
  attached?: readonly FileRef[] | undefined;
  /** Names the models as `provider/model`. */
  models: { functionCall: string; answer: string };
  /** Is the branch of the conversation that the run continues, and the folder in which a person has asked. */
  branch?: number | undefined;
  /** Is the turn that it follows, in place of the last one of the branch. */
  after?: number | undefined;
  folder?: string | undefined;
  /** Counts the turns that the conversation had when the run began. */
  turns: number;
  /** Counts the sources that the conversation had when the run began. */
  sources: number;
  /** Is the highest number that a result of the conversation had when the run began. */
  results?: number | undefined;
  /** Is the summary that the conversation had when the run began. */
  summary?: { text: string; turns: number; isWanted?: boolean | undefined } | undefined;
  /** Names the agent that answers, where it is not the main one. */
  agent?: string | undefined;
  /** Limits the tools: the patterns of the question, and those of its caller. */
  tools?: readonly string[] | undefined;
  callerTools?: readonly string[] | undefined;
  /** Lists the kinds of questions that the run may ask its user. */
  asks: readonly QuestionKind[];
  /** Names what was asked for, so that the same question asked again finds the run. */
  key?: string | undefined;
  wantedConversationId?: string | undefined;
}

/** A journal reads only what it wrote, so the check only recognises the value as a header. */
export function isRunHeader(value: unknown): value is RunHeader {
  return (
    isRecord(value) &&
    typeof value.entrance === "string" &&
    typeof value.question === "string" &&
    isRecord(value.limits) &&
    isRecord(value.models) &&
    Array.isArray(value.asks)
  );
}

/** Describes a run whose process ended before the run did. */
export interface InterruptedRun {
  runId: string;
  owner: string | undefined;
  conversationId: string;
  header: RunHeader;
  /** Is when the run began, and when its last step was recorded: ISO 8601, UTC. */
  begunAt: string;
  lastAt: string;
}

export interface TakenRun extends InterruptedRun {
  /** Counts how often in a row the process of the run has ended without a new record. */
  ends: number;
  steps: readonly RecordedStep[];
  events: readonly AgentEvent[];
  /** Holds the bytes that were recorded with the run and its steps. */
  files: readonly StoredBytes[];
  journal: RunJournal;
}

/** A run that ends its process this often without a new record is not tried again. */
export const mostEnds = 3;

/** Is how long the events of a run are kept after its end, in milliseconds. */
export const keepEventsMs = 3_600_000;

/** Is how long an interrupted run is kept that nobody resumes, in milliseconds: 7 days. */
export const keepInterruptedMs = 7 * 24 * 3_600_000;

/** Says that a run is recorded by another process, or not at all any more. */
export class LostRunError extends Error {
  override readonly name = "LostRunError";

  constructor(runId: string) {
    super(`the run ${runId} is no longer recorded for this process`);
  }
}
