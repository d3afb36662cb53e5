import { DuetError } from "../../kit/errors.ts";
import { isRecord } from "../../kit/json.ts";
import type { Locale } from "../../kit/locale.ts";
import type { AnswerForm } from "../answer-form.ts";
import type { Chain } from "../chain.ts";
import type { StoredBytes } from "../files/run-files.ts";
import type { FolderInstructions } from "../folder-instructions.ts";
import type { LimitCeilings, RunLimits } from "../limits/limits.ts";
import type { FileRef } from "../model/messages.ts";
import type { ToolChoice } from "../model/model.ts";
import type { QuestionKind } from "../questions/user-question.ts";
import type { AgentEvent } from "../run/events.ts";
import type { Mode } from "../run/outcome.ts";
import type { Spend, StepUsage } from "./daily-usage.ts";
import type { RunMailbox } from "./run-mailbox.ts";

/**
 * Records the finished steps of runs, so that a run can go on when its process has ended. Steps are known by their names and never
 * by their position. Several processes may share one journal, and each run belongs to one of them. Every method may reject with
 * a `DuetError` that says what is wrong with the store.
 */
export interface Journal {
  /** Is true where a run must not go on without its record: another machine could go on with it, and would repeat what it has done. */
  readonly isRequired?: boolean;
  /** Records a run that is about to begin. It belongs to this process. */
  begin(run: NewRunRecord): Promise<RunJournal>;
  /** Lists the runs of all owners that have not ended and whose process is gone, oldest first; of one conversation, if it is given. */
  listInterrupted(conversationId?: string): Promise<InterruptedRun[]>;
  /** Returns one of them, without reading the others. */
  findInterrupted(runId: string): Promise<InterruptedRun | undefined>;
  /** Is true while a process that lives carries out the run, this one included. */
  isGoing(runId: string): Promise<boolean>;
  /**
   * Is true for a run that has done nothing, because no step of it was ever recorded, and that may begin still. Of several processes that
   * then begin it only one can. Absent where a run may do something without a record.
   */
  mayBegin?(runId: string): Promise<boolean>;
  /**
   * Takes a run whose process is gone for this process. Of several concurrent calls, in any process, only one gets it; undefined
   * for all others, and for a run that has ended or must not be resumed.
   */
  take(runId: string): Promise<TakenRun | undefined>;
  /** Takes runs whose process is gone, while other processes do the same. Absent where that is done one by one. */
  takeOver?(wanted: WantedRuns): Promise<TakenRun[]>;
  /** Counts the runs that nobody goes on with because no process lives that can read their records: a newer program wrote them. */
  countNewer?(): Promise<number>;
  /** Returns the events that readers of a run may have received, in order. They are kept for an hour after its end. */
  events(runId: string, owner: string | undefined): Promise<AgentEvent[]>;
}

/** Says which runs of other processes are to be taken over. */
export interface WantedRuns {
  entrance: Entrance;
  /** Is how long ago the last step may be, in milliseconds. */
  withinMs: number;
  most: number;
}

/** Records what happens in one run of this process. What a method has resolved for survives the end of the process. */
export interface RunJournal {
  readonly runId: string;
  /**
   * Rejects with a `LostRunError` where the run belongs to another process, or is not recorded any more. Resolves with what the owner
   * has used today, where the step counts something and the store tells.
   */
  add(step: NewStep): Promise<Spend | undefined>;
  /** Records events of which the first has the number `from`, counted from 0. Rejects as `add` does. */
  addEvents(from: number, events: readonly AgentEvent[]): Promise<void>;
  /** Prevents that anybody resumes the run: a person or a host has ended it, or a step of it could not be recorded. */
  forbid(reason: "stopped" | "unrecorded"): Promise<void>;
  /** Connects the run with the other processes that share the journal. It is absent where they do not see the run. */
  readonly mailbox?: RunMailbox | undefined;
  /**
   * Aborts with a `LostRunError` when the run is no longer this process's: another one has taken it, it was let go, or a step could not
   * be recorded. Absent where no other process takes a run while this one lives.
   */
  readonly moved?: AbortSignal;
  /**
   * Resolves when no other process can have the run by now: at once, unless this process has given no sign of life for long. What is done
   * once and for all waits for it. Rejects as `add` does. Absent where no other process takes a run while this one lives.
   */
  confirm?(): Promise<void>;
  /** Lets the run go, so that another process goes on with it. Aborts `moved` first. Rejects where that could not be stored. */
  letGo?(): Promise<void>;
  /** Is false where other processes share the journal and none of them can read the records of the run. */
  hasReader?(): Promise<boolean>;
}

export interface NewStep {
  name: string;
  /** Counts the milliseconds that the run had spent when the step was finished. */
  spentMs: number;
  /** Is stored as JSON. */
  data: unknown;
  /** Holds the bytes of what the step names. They are kept until the run ends. */
  files?: readonly StoredBytes[] | undefined;
  /** Is counted for the run's owner in the transaction that records the step. A step that is recorded already counts nothing. */
  usage?: StepUsage | undefined;
}

export interface RecordedStep extends Omit<NewStep, "files" | "usage"> {
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
  /** Is the ID of the run with which this one goes on, where the answer is that of both. */
  goesOnWith?: string | undefined;
  limits: RunLimits & {
    maxParallel: number;
    repeatable: readonly string[];
    minResultLength: number;
    stopWhenSufficient: boolean;
    onLimit?: "stop" | "ask" | undefined;
    finishAnswer?: boolean | undefined;
    sources?: { readonly [Field in "tokenBudget" | "costBudget"]?: { setting: string; value: number } } | undefined;
    ofAgent?: { readonly name: string; readonly fields: readonly string[] } | undefined;
    asked?: readonly string[] | undefined;
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
  /** Says what becomes of the run when everybody who waits for it has left. The configuration does when it is absent. */
  onDisconnect?: "cancel" | "finish" | undefined;
  /** Is the request for which the run began, where its client may cancel it in another process. */
  hostRequest?: HostRequest | undefined;
}

/** Limits the ID of a request that can be cancelled in another process, in UTF-16 units. */
export const longestRequestId = 500;

/** Names a request of a session of the 2025 protocol over HTTP. */
export interface HostRequest {
  sessionId: string;
  requestId: string | number;
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
  /** Is how long ago that was, in milliseconds, by the clock that all processes share. Absent where each has the same. */
  ageMs?: number | undefined;
}

export interface TakenRun extends InterruptedRun {
  /** Counts how often in a row the process of the run has ended without a new record. */
  ends: number;
  /** Is true where the last process has let the run go, as one does that is told to end. Absent where no process lets runs go. */
  isHandedOver?: boolean;
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

/**
 * Says that a run is recorded by another process, or not at all any more. It gives no time to come again, because clients that obey one
 * ask the same question a second time, while the run goes on.
 */
export class LostRunError extends DuetError {
  constructor(runId: string) {
    super({
      code: "overloaded",
      text: {
        zh: `这个进程不再负责运行 ${runId}，可能由另一个进程继续`,
        en: `the run ${runId} is no longer this process's; another one may go on with it`,
      },
      hint: {
        zh: `它的结果：通过 HTTP 请求 GET /agent/runs/${runId}，通过 MCP 用这个 run_id 调用 agent_result。`,
        en: `For its result ask GET /agent/runs/${runId} over HTTP, or agent_result with this run_id over MCP.`,
      },
    });
  }
}
