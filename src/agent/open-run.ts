import { deepestChain, getTraceId } from "../core/chain.ts";
import { hasChainProperty, removeChainProperty } from "../core/chain-text.ts";
import type { CallClient, ClientTools } from "../core/client-tools.ts";
import { createRunFiles, type RunFiles, type StoredBytes } from "../core/files/run-files.ts";
import type { User } from "../core/questions/user.ts";
import type { AgentEvent, Notice } from "../core/run/events.ts";
import type { Outcome } from "../core/run/outcome.ts";
import { createId } from "../core/store/create-id.ts";
import type { RunHeader, RunJournal, TakenRun } from "../core/store/journal.ts";
import type { SendingGuard } from "../core/tools/data-flow.ts";
import { isOfClient, type Tool } from "../core/tools/tool.ts";
import type { DuetError } from "../kit/errors.ts";
import { detectLanguage } from "../kit/locale.ts";
import { createRandomHex } from "../kit/random.ts";
import { createAnswerText } from "./answer/answer-text.ts";
import { createEvidence } from "./citations/evidence.ts";
import { createContextWindows, getLongestResult, pickSmallerModel } from "./context/context-window.ts";
import { nothingUsed } from "./limits/reached-limit.ts";
import { createStatistics } from "./limits/statistics.ts";
import { createSubAgents } from "./limits/sub-agents.ts";
import { rememberEarlierCalls } from "./loop/calls/known-calls.ts";
import { createRepetition } from "./loop/calls/repetition.ts";
import { createSendingGuard } from "./loop/calls/sending-guard.ts";
import { describeDay } from "./prompts/prompt-values.ts";
import { createRunUser } from "./questions/ask-user.ts";
import {
  getDepth,
  type LoopState,
  type ModelCallObserver,
  type Run,
  type RunInput,
  type RunRequest,
  type RunServices,
} from "./run.ts";
import { findLastNumber, openEarlierResults } from "./tools/earlier-results.ts";
import { createToolCatalog, type ToolCatalog, type ToolFinder } from "./tools/tool-catalog.ts";
import { createToolResults } from "./tools/tool-results.ts";

export interface RunOptions {
  request: RunRequest;
  parts: RunParts;
  /** Holds the time spent before the run could start, in milliseconds. */
  spentMs?: number;
  /** Lists notices that are emitted right after `run-start`. */
  notices?: readonly Notice[];
  /** Returns what is to be told once the run has been saved. */
  findLateNotices?(outcome: Outcome): Promise<readonly Notice[]> | readonly Notice[];
  observer?: RunObserver | undefined;
  /** Says how the run is recorded, or what an earlier process has recorded of it. Nothing is recorded when it is absent. */
  recording?: RunRecording | undefined;
  /** Ends the run before its first step. */
  refusal?: DuetError | undefined;
  signal?: AbortSignal;
}

export interface RunRecording {
  /** Holds the records of a run that goes on. */
  taken?: TakenRun | undefined;
  /** Is true where the run must not go on without its record. */
  isRequired?: boolean | undefined;
  /** Aborts when this process wants to end, and the run is to go on in another one. */
  leaving?: AbortSignal | undefined;
  /** Resolves when the events that were told so far are recorded, or a few seconds later. Never rejects. */
  flushEvents?: (() => Promise<void>) | undefined;
  /** Records a run that begins. Rejects where the store cannot. */
  begin(facts: RecordedFacts, files: readonly StoredBytes[]): Promise<RunJournal>;
}

/** Holds what a run itself knows of what must not change when it goes on. */
export type RecordedFacts = Omit<
  RunHeader,
  | "entrance"
  | "agent"
  | "tools"
  | "callerTools"
  | "key"
  | "wantedConversationId"
  | "branch"
  | "folder"
  | "onDisconnect"
  | "hostRequest"
> & {
  runId: string;
  conversationId: string;
};

/** Holds what the caller provides for a run. The services of the run are made from it. */
export interface RunParts
  extends Pick<
    RunServices,
    | ("models" | "prompts" | "markHabits" | "store" | "evaluator" | "folders" | "budget" | "router" | "hooks")
    | ("inbox" | "missingServers")
  > {
  tools: readonly Tool[];
  /** Holds the tools that the program which asks runs itself, and how it is called. */
  client?: { tools: ClientTools; call: CallClient } | undefined;
  /** Holds what a search among tools needs when they are too many to be listed. All tools are listed when it is absent. */
  finding?: ToolFinder | undefined;
  /** Answers the questions of the run; absent where nobody can be asked. */
  user?: User | undefined;
  /** Is the guard of the run above, where the run is part of another one. */
  sending?: SendingGuard | undefined;
  /** Holds the bytes of what came with the question. */
  files?: RunFiles | undefined;
  /** Says what is wrong with the store, as far as whoever asks may know it. All is told where it is absent. */
  describeStoreProblem?: RunServices["describeStoreProblem"] | undefined;
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
  /** Receives what each model is asked, and what it has written; absent where nobody wants it. It must not throw. */
  readonly modelCalls?: ModelCallObserver | undefined;
}

export interface RunEnvironment extends Pick<RunServices, "clock" | "emit" | "keepOutput" | "record" | "modelCalls"> {
  /**
   * Holds the question to answer. In plan mode, where the words reply to a plan that waits, it is the question that the plan was
   * made for.
   */
  question: string;
  traceId?: string | undefined;
  /** Holds what an earlier process of the run has chosen. */
  chosen?: Pick<RunInput, "traceId" | "language" | "marker" | "sources" | "results" | "begunAt"> | undefined;
}

/** Creates the input, the state and the services that the parts of one run share. */
export function openRun(request: RunRequest, parts: RunParts, environment: RunEnvironment): Run {
  const { question, traceId, chosen, record } = environment;
  const facts = {
    traceId: traceId ?? getTraceId(request.chain?.trace) ?? createRandomHex(),
    language: detectLanguage(question, request.locale),
    marker: request.conversation.marker ?? createRandomHex().slice(0, 8),
    sources: request.conversation.sources.size,
    results: findLastNumber(request.conversation),
    begunAt: Date.now(),
    limits: { ...request.limits },
    allowance: request.limits,
    ...chosen,
  };
  const day = describeDay(new Date(facts.begunAt), facts.language, request.timeZone);
  const input: RunInput = { ...request, id: request.id ?? createId("run"), ...facts, day };
  const services = createServices(input, parts, environment);
  const state = createState(input, services, { question, sending: parts.sending, client: parts.client });
  state.results.reserve(record.resultNumbers);
  const run = { input, state, services };
  rememberEarlierCalls(run);
  return run;
}

function createServices(input: RunInput, parts: RunParts, environment: RunEnvironment): RunServices {
  const {
    models,
    prompts,
    markHabits,
    store,
    evaluator,
    folders,
    budget,
    router,
    hooks,
    inbox,
    missingServers,
    user,
    files = createRunFiles(),
    describeStoreProblem = (problem) => problem.text,
  } = parts;
  const { clock, emit, keepOutput, modelCalls, record, question } = environment;
  return {
    models,
    prompts,
    markHabits,
    store,
    describeStoreProblem,
    files,
    evaluator,
    folders,
    budget,
    router,
    hooks,
    inbox,
    missingServers,
    user: user && createRunUser(user, clock),
    catalog: openCatalog(input, parts, question),
    clock,
    record,
    emit,
    keepOutput,
    modelCalls,
  };
}

function openCatalog(input: RunInput, { tools, client, models, finding }: RunParts, question: string): ToolCatalog {
  const own = input.mode === "chat" && !input.search ? [] : filterToolsByDepth(tools, getDepth(input));
  return createToolCatalog({
    ...(input.toolChoice === "none" ? { tools: [] } : { tools: own, clientTools: client?.tools.tools }),
    model: models.functionCall,
    language: input.language,
    questions: [question, ...input.conversation.turns.slice(-1).map((turn) => turn.question)],
    finding,
  });
}

function createState(
  { conversation, documents, omitsReferences, language, limits, answerForm, results }: RunInput,
  { models, catalog: { tools, all }, emit }: RunServices,
  { question, sending, client }: Pick<LoopState, "question"> & Pick<RunParts, "sending" | "client">,
): LoopState {
  const evidence = createEvidence();
  return {
    question,
    history: [],
    plainHistory: [],
    steps: [],
    answerPrompt: undefined,
    answer: createAnswerText({
      ...{ conversation, evidence, documents, omitsReferences, language, emit },
      isStructured: answerForm !== undefined,
    }),
    evidence,
    statistics: createStatistics(),
    usedBefore: { ...nothingUsed },
    subAgents: createSubAgents(),
    // Whoever runs its tools itself has reasons of its own to run them again.
    repetition: createRepetition(limits.repeatable, (name) => isOfClient(all.get(name))),
    client: client && { ...client, said: [] },
    sending: createSendingGuard(sending),
    results: createToolResults({
      ...{ tools, language },
      longest: getLongestResult(pickSmallerModel(models)),
      earlier: openEarlierResults(conversation, results),
    }),
    windows: createContextWindows(),
    refusedKeys: new Map(),
    failedModels: new Map(),
    callIds: new Set(),
    calls: [],
    finalLimits: new Set(),
    delivered: [],
    isAnswering: false,
    images: [],
  };
}

/**
 * Returns the tools for a run at this depth in a chain of agents, without the argument that is not for models. The last level
 * has no tools that are agents, because their calls would be refused.
 */
export function filterToolsByDepth(tools: readonly Tool[], depth: number): readonly Tool[] {
  const agents = tools.filter(({ inputSchema }) => hasChainProperty(inputSchema));
  if (agents.length === 0) return tools;
  if (depth < deepestChain)
    return tools.map((tool) =>
      agents.includes(tool) ? { ...tool, isAgent: true, inputSchema: removeChainProperty(tool.inputSchema) } : tool,
    );
  const names = new Set(agents.flatMap(({ name }) => [name, ...listCompanions(name)]));
  return tools.filter(({ name }) => !names.has(name));
}

/** Returns the tools that belong to `agent_ask`, under the same prefix. They are of no use without it. */
function listCompanions(name: string): string[] {
  const ask = "agent_ask";
  if (!name.endsWith(ask)) return [];
  const prefix = name.slice(0, -ask.length);
  return [`${prefix}agent_result`, `${prefix}agent_cancel`, `${prefix}agent_message`];
}
