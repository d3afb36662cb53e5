import { type Chain, getTraceId } from "../core/chain.ts";
import type { AgentEvent } from "../core/events.ts";
import type { AskElicitation } from "../core/forms/elicitation.ts";
import type { Notice } from "../core/model.ts";
import type { Mode } from "../core/outcome.ts";
import { type Conversation, type ConversationStore, createId } from "../core/store/store.ts";
import type { ApproveCall, Tool } from "../core/tools/tool.ts";
import { detectLanguage, type Locale } from "../kit/errors.ts";
import { createRandomHex } from "../kit/random.ts";
import { createAnswerText } from "./answer/answer-text.ts";
import { createContextWindows, getLongestResult, pickSmallerModel } from "./context/context-window.ts";
import type { Limits, RunClock } from "./limits/run-clock.ts";
import { createStatistics } from "./limits/statistics.ts";
import { createSubAgents } from "./limits/sub-agents.ts";
import type { Evaluator } from "./loop/evaluator.ts";
import { createRepetition } from "./loop/repetition.ts";
import type { Prompts } from "./prompts/prompts.ts";
import { createApprove, createAskSequentially, createElicit } from "./questions/ask-person.ts";
import type { ConfirmPlan, PlanPolicy } from "./questions/confirm-plan.ts";
import type { Models, Run } from "./run.ts";
import { createToolCatalog, type ToolFinder } from "./tools/tool-catalog.ts";
import { createToolResults } from "./tools/tool-results.ts";
import { filterToolsByDepth } from "./tools/tools-at-depth.ts";

export interface RunOptions {
  /** Has the form `run-…`. A new ID is generated when it is absent. */
  id?: string | undefined;
  question: string;
  mode: Mode;
  /** Holds the conversation as it was loaded. The run is appended to it in `store`. */
  conversation: Conversation;
  store: ConversationStore;
  /** Holds the calling program's instruction for all answers. */
  instruction?: string | undefined;
  models: Models;
  tools: readonly Tool[];
  /** Holds what a search among tools needs when they are too many to be listed. All tools are listed when it is absent. */
  finding?: ToolFinder | undefined;
  prompts: Prompts;
  limits: Limits;
  evaluator?: Evaluator | undefined;
  planPolicy: PlanPolicy;
  confirmPlan?: ConfirmPlan | undefined;
  /** Asks a person about one call; absent where nobody can be asked. */
  approveCall?: ApproveCall | undefined;
  /** Shows a person a question of a program below; absent where nobody can be asked. */
  elicit?: AskElicitation | undefined;
  /** Is true when chat mode searches the web for the question first, with the tool `web_search`. */
  search?: boolean | undefined;
  /** Is the reader's language. The answer follows the question's language. */
  locale: Locale;
  /** Holds the time spent before the run could start, in milliseconds. */
  spentMs?: number;
  /** Is true when a person waits for the answer at one of our own interfaces. */
  isInteractive?: boolean | undefined;
  /** Lists notices that are emitted right after `run-start`. */
  notices?: readonly Notice[];
  observer?: RunObserver | undefined;
  /** Says where the run stands in a chain of agents. It is the first one when this is absent. */
  chain?: Chain | undefined;
  signal?: AbortSignal;
}

export interface RunEnvironment {
  /**
   * Holds the question. In plan mode, where the words reply to a plan that waits, it is the question that the plan was made for.
   */
  question: string;
  cancelled: AbortSignal;
  clock: RunClock;
  emit(event: AgentEvent): void;
  /** Keeps for the trace what a tool gave for a call that has not ended yet. */
  keepOutput(callId: string, output: string): void;
}

/** Creates the state and services that all parts of one run share. */
export function openRun(options: RunOptions, { question, cancelled, clock, emit, keepOutput }: RunEnvironment): Run {
  const language = detectLanguage(question, options.locale);
  const { conversation, limits, models } = options;
  const depth = options.chain?.depth ?? 0;
  const isPlainChat = options.mode === "chat" && !options.search;
  const askInTurn = createAskSequentially({ clock, callerSignal: cancelled });
  const catalog = createToolCatalog({
    tools: isPlainChat ? [] : filterToolsByDepth(options.tools, depth),
    model: models.functionCall,
    language,
    questions: [question, ...conversation.turns.slice(-1).map((turn) => turn.question)],
    finding: options.finding,
  });
  const { tools } = catalog;
  return {
    id: options.id ?? createId("run"),
    traceId: options.observer?.traceId ?? getTraceId(options.chain?.trace) ?? createRandomHex(),
    question,
    said: options.question,
    mode: options.mode,
    locale: options.locale,
    language,
    conversation,
    isInteractive: options.isInteractive ?? false,
    marker: createRandomHex().slice(0, 8),
    answer: createAnswerText({ conversation, language, emit }),
    models,
    history: [],
    tools,
    catalog,
    prompts: options.prompts,
    limits,
    depth,
    trace: options.chain?.trace,
    clock,
    evaluator: options.evaluator,
    planPolicy: options.planPolicy,
    confirmPlan: options.confirmPlan,
    approve: options.approveCall && createApprove(options.approveCall, askInTurn),
    elicit: options.elicit && createElicit(options.elicit, askInTurn),
    search: options.search ?? false,
    statistics: createStatistics(),
    subAgents: createSubAgents(limits.maxParallel),
    repetition: createRepetition(limits.repeatable),
    results: createToolResults({ tools, longest: getLongestResult(pickSmallerModel(models)), language }),
    windows: createContextWindows(),
    refusedKeys: new Map(),
    calls: [],
    callIds: new Set(),
    callerSignal: cancelled,
    decideSignal: clock.working,
    answerSignal: clock.answering,
    emit,
    keepOutput,
  };
}

/** Follows the events of one run, each at the moment it happens. */
export interface RunObserver {
  /**
   * Holds the trace ID under which the run is known outside, as 32 hex digits. The run generates one itself when it is
   * undefined.
   */
  readonly traceId: string | undefined;
  /** Receives each event and must not throw. */
  handle(event: AgentEvent): void;
}
