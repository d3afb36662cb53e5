import type { AnswerForm } from "../core/answer-form.ts";
import type { Chain } from "../core/chain.ts";
import type { GivenStep } from "../core/client-tools.ts";
import type { RunFiles } from "../core/files/run-files.ts";
import type { FolderInstructions } from "../core/folder-instructions.ts";
import type { HookRunner, HookSession } from "../core/hooks.ts";
import type { FileRef, ImagePart, Message, ToolCall } from "../core/model/messages.ts";
import { type Model, type ModelRequest, type ToolChoice, type Turn, toModelName } from "../core/model/model.ts";
import type { RuleRouter } from "../core/model/rule-router.ts";
import type { DayBudget } from "../core/model/turn-budget.ts";
import type { User } from "../core/questions/user.ts";
import type { AgentEvent } from "../core/run/events.ts";
import type { Mode, ToolCallRecord } from "../core/run/outcome.ts";
import type { RunInbox } from "../core/run/run-inbox.ts";
import type { Conversation, TurnStep } from "../core/store/conversations/conversation.ts";
import type { ConversationStore } from "../core/store/store.ts";
import type { MissingServer } from "../core/tools/missing-server.ts";
import type { DuetError } from "../kit/errors.ts";
import type { Locale, Text } from "../kit/locale.ts";
import type { AnswerText } from "./answer/answer-text.ts";
import type { Evidence } from "./citations/evidence.ts";
import type { ContextWindows } from "./context/context-window.ts";
import type { Limits, RunClock } from "./limits/run-clock.ts";
import type { LimitUsage, ModelRole, Statistics } from "./limits/statistics.ts";
import type { SubAgents } from "./limits/sub-agents.ts";
import type { ClientSession } from "./loop/calls/client-session.ts";
import type { Repetition } from "./loop/calls/repetition.ts";
import type { RunSendingGuard } from "./loop/calls/sending-guard.ts";
import type { Evaluator } from "./loop/evaluator.ts";
import type { MarkHabits } from "./loop/turn/answer-mark.ts";
import type { PlanPolicy } from "./plan/plan-policy.ts";
import type { Prompts } from "./prompts/prompts.ts";
import type { RunRecord } from "./record/run-record.ts";
import type { ToolCatalog } from "./tools/tool-catalog.ts";
import type { ToolResults } from "./tools/tool-results.ts";

/** Holds the three objects that the parts of one run share. It is created once, in `openRun`. */
export interface Run {
  readonly input: RunInput;
  readonly state: LoopState;
  readonly services: RunServices;
}

/** Holds what is asked of a run. Nothing in it changes; a `RunInput` has limits of its own, which a person may raise. */
export interface RunRequest {
  /** Has the form `run-…`. A new ID is generated when it is absent. */
  readonly id?: string | undefined;
  /** Holds the question word for word. */
  readonly question: string;
  /** Lists the images and documents that came with the question. */
  readonly attached?: readonly FileRef[] | undefined;
  readonly mode: Mode;
  /** Holds the conversation as it was loaded. The run is appended to it in the store. */
  readonly conversation: Conversation;
  /** Is whose run it is, as in `Caller.owner`; absent where callers are not told apart. */
  readonly owner?: string | undefined;
  /** Holds the calling program's instruction for all answers. */
  readonly instruction?: string | undefined;
  /** Lists the instructions of the folder in which the run takes place, the nearest last. */
  readonly folderInstructions?: readonly FolderInstructions[] | undefined;
  /** Is true when chat mode searches the web for the unchanged question first, with the tool `web_search`. */
  readonly search?: boolean | undefined;
  /** Is the reader's language, used for notices, reasons and errors. */
  readonly locale: Locale;
  /** Is the time zone of the process; the runtime is asked where it is absent, which takes 13 ms the first time. */
  readonly timeZone?: string | undefined;
  /** Is true when a person waits for the answer at one of our own interfaces. */
  readonly isInteractive?: boolean | undefined;
  /** Is true when the run goes on with the last one of the conversation, whose calls it must not repeat. */
  readonly goesOn?: boolean | undefined;
  /** Is the ID of that run, where the answer is that of both. */
  readonly goesOnWith?: string | undefined;
  /** Is true where the reader can take text back, and so is shown text of which it is not known yet what it is. */
  readonly drafts?: boolean | undefined;
  /** Is the form of the answer, where a program reads it. The answer is a text when it is absent. */
  readonly answerForm?: AnswerForm | undefined;
  /** Ends the answer before the first of these texts. */
  readonly stop?: readonly string[] | undefined;
  /** Says for the first round whether the model may, must or must not call a tool. With `none` the run has no tools. */
  readonly toolChoice?: ToolChoice | undefined;
  /** Holds the numbers of the asker's own documents, where it may bring some. */
  readonly documents?: ReadonlySet<number> | undefined;
  /** Is true where whoever reads the answer lists its sources itself. */
  readonly omitsReferences?: boolean | undefined;
  /** Lists what was called for this question before the run, as the program that asks has kept it. */
  readonly earlierSteps?: readonly GivenStep[] | undefined;
  /** Names the tool of the agent that answers in place of models. */
  readonly answeredBy?: string | undefined;
  readonly limits: Limits;
  readonly planPolicy: PlanPolicy;
  /** Holds what the process knows of the conversation's hooks. */
  readonly hookSession?: HookSession | undefined;
  /** Says where the run stands in a chain of agents. It is the first one when this is absent. */
  readonly chain?: Chain | undefined;
}

/** Holds the request of a run and what follows from it at the start. */
export interface RunInput extends RunRequest {
  readonly id: string;
  /** Names the run in traces outside: 32 hex digits. */
  readonly traceId: string;
  /** Is the question's language, used for prompts, for what tools say to the model, and for the answer. */
  readonly language: Locale;
  /** Marks untrusted text in the prompts of the conversation; nobody outside can guess it. */
  readonly marker: string;
  /** Counts the sources of the conversation when the run began. */
  readonly sources: number;
  /** Is the highest number that a result of the conversation had then. */
  readonly results: number;
  /** Is when the run began, in milliseconds since 1970. Its prompts name this day to the end. */
  readonly begunAt: number;
  /** Holds the limits as they were given; `limits` grow where a person lets the run go on. */
  readonly allowance: Limits;
  /** Says the weekday and the time zone of that day. */
  readonly day: string;
}

/** Holds a step of a run for its conversation. */
export interface RecordedRound extends TurnStep {
  /** Holds for each result its text as it was read, where it can be read again. */
  read: readonly (string | undefined)[];
  /** Lists the calls as they were made. */
  made: readonly ToolCall[];
}

/** Holds what changes while a run goes on. */
export interface LoopState {
  /** Holds the question to answer: the one that a waiting plan was made for, with what a reader has changed in the plan. */
  question: string;
  /** Holds what a model with tools reads of the conversation so far, oldest first. It is set once, before the first turn. */
  history: readonly Message[];
  /** Holds the same for a model without tools: earlier calls and their results are text. */
  plainHistory: readonly Message[];
  /** Lists the calls of the run with their results as models read them, for the conversation. */
  readonly steps: RecordedRound[];
  /** Is what the model that writes the answer was sent last in place of the question. */
  answerPrompt: string | undefined;
  /** Is what hooks add to the question, in a fence. It is set once, before the first turn. */
  hookNote?: string | undefined;
  readonly answer: AnswerText;
  /** Holds what the models have read of each source. */
  readonly evidence: Evidence;
  readonly statistics: Statistics;
  /** Is what the run had used when its limits began to count: they count anew with each reply of the program that asks. */
  readonly usedBefore: LimitUsage;
  readonly subAgents: SubAgents;
  readonly repetition: Repetition;
  readonly sending: RunSendingGuard;
  /** Holds the whole results, of which the models read excerpts. */
  readonly results: ToolResults;
  readonly windows: ContextWindows;
  /** Maps the environment variables of keys that a vendor has refused in this run to the errors. */
  readonly refusedKeys: Map<string, DuetError>;
  /**
   * Maps the models that failed in this run, and for which another took over, to the roles that they are no longer asked for: all
   * where the model is down, and one where only its requests are too long.
   */
  readonly failedModels: Map<Model, ReadonlySet<ModelRole>>;
  /** Lists the IDs that calls have already used in events. */
  readonly callIds: Set<string>;
  /** Lists every call requested so far, in order. */
  readonly calls: ToolCallRecord[];
  /** Lists what a person has said while the run worked, and the models have read, in order. */
  readonly delivered: string[];
  /** Is true from the moment at which the answer is written. */
  isAnswering: boolean;
  /** Holds the limits for which nobody has given more, by their settings. They are not asked for again. */
  readonly finalLimits: Set<string>;
  /** Is the program that asks and runs tools itself; absent where there is none. */
  readonly client?: ClientSession | undefined;
  /** Lists the images that tools have returned, in order. */
  readonly images: ImagePart[];
}

/** Holds what a run works with. */
export interface RunServices {
  readonly models: Models;
  readonly prompts: Prompts;
  /** Knows which models mark their answers; none is asked for a mark where it is absent. */
  readonly markHabits?: MarkHabits | undefined;
  readonly store: ConversationStore;
  /** Says what is wrong with the store, as far as whoever asks may know it. */
  readonly describeStoreProblem: (problem: DuetError) => Text;
  /** Holds the bytes that messages of this run name. */
  readonly files: RunFiles;
  /** Holds the user's own rule for after each round. The built-in rules decide when it is undefined. */
  readonly evaluator?: Evaluator | undefined;
  /** Limits what the caller's runs use together. The models reserve their turns themselves; texts for servers have to. */
  readonly budget?: DayBudget | undefined;
  /** Answers plain requests before a model is asked; absent where models are to answer everything. */
  readonly router?: RuleRouter | undefined;
  /** Runs the user's hooks at the start and the end of the run; absent where there are none. */
  readonly hooks?: HookRunner | undefined;
  /** Answers the questions of the run; absent where nobody can be asked. */
  readonly user: User | undefined;
  /** Takes what a person says while the run works; absent where nobody can. */
  readonly inbox?: RunInbox | undefined;
  /** Says where the run takes place; absent where models are not to be told. */
  readonly folders?: Folders | undefined;
  /** Lists the servers that are not there, for a model that calls a tool of one. */
  readonly missingServers?: readonly MissingServer[] | undefined;
  /** Holds the tools that models are offered, and all others that exist. */
  readonly catalog: ToolCatalog;
  /** Limits the run's time, and holds the signals that stop it. */
  readonly clock: RunClock;
  /** Records the finished steps, and gives back those of an earlier process. */
  readonly record: RunRecord;
  readonly emit: (event: AgentEvent) => void;
  /** Receives what each model is asked, and what it has written; absent where nobody wants it. */
  readonly modelCalls?: ModelCallObserver | undefined;
  /** Keeps for the trace what a tool gave for a call that has not ended yet. */
  readonly keepOutput: (callId: string, output: string) => void;
}

/** Follows the calls of models within the phases of a run. */
export interface ModelCallObserver {
  /** Receives a request as it is sent to the model. */
  handleRequest(request: ModelRequest): void;
  handleTurn(turn: Turn): void;
}

/** Holds absolute paths. */
export interface Folders {
  readonly working: string;
  /** Lists the folders that file tools may read. With one of them, their paths are relative to it. */
  readonly readable: readonly string[];
}

/** Holds the models for the two roles. They are the same object when one model is configured. */
export interface Models {
  functionCall: Model;
  answer: Model;
  /** Holds for each role the models that take over when its own fails, in their order. It is absent when there are none. */
  fallbacks?: Readonly<Record<ModelRole, readonly Model[]>>;
}

/** Is true when one model plays both roles. */
export function hasOneModel(models: Models): boolean {
  return models.functionCall === models.answer;
}

/**
 * Is true when the last decide turn is the answer, because one model plays both roles, or the same model does with other parameters
 * and `agent.acceptAnswer` is on. An answer in a form of its own, or with stop texts, gets a turn of its own: vendors take these
 * poorly beside tools.
 */
export function canAnswerWhileDeciding({
  services: { models },
  input: { answerForm, stop, limits },
}: Pick<Run, "services" | "input">): boolean {
  const isOne = hasOneModel(models) || (limits.acceptAnswer === true && hasOneName(models));
  return isOne && answerForm === undefined && stop === undefined;
}

function hasOneName({ functionCall, answer }: Models): boolean {
  return toModelName(functionCall) === toModelName(answer);
}

/** Returns how many agents are above this one. */
export function getDepth({ chain }: Pick<RunRequest, "chain">): number {
  return chain?.depth ?? 0;
}
