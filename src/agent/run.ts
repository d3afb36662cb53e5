import type { TraceContext } from "../core/chain.ts";
import type { AgentEvent } from "../core/events.ts";
import type { Elicit } from "../core/forms/elicitation.ts";
import type { Message } from "../core/messages.ts";
import type { Model } from "../core/model.ts";
import type { Mode, ToolCallRecord } from "../core/outcome.ts";
import type { Conversation } from "../core/store/store.ts";
import type { Approve, Tool } from "../core/tools/tool.ts";
import type { DuetError, Locale } from "../kit/errors.ts";
import type { AnswerText } from "./answer/answer-text.ts";
import type { ContextWindows } from "./context/context-window.ts";
import type { Limits, RunClock } from "./limits/run-clock.ts";
import type { Statistics } from "./limits/statistics.ts";
import type { SubAgents } from "./limits/sub-agents.ts";
import type { Evaluator } from "./loop/evaluator.ts";
import type { Repetition } from "./loop/repetition.ts";
import type { Prompts } from "./prompts/prompts.ts";
import type { ConfirmPlan, PlanPolicy } from "./questions/confirm-plan.ts";
import type { ToolCatalog } from "./tools/tool-catalog.ts";
import type { ToolResults } from "./tools/tool-results.ts";

/** What all parts of one run share; made once, in `runAgent`. */
export interface Run {
  readonly id: string;
  /** Names the run in traces outside: 32 hex digits. */
  readonly traceId: string;
  /** What is to be answered. Plan mode adds what a reader has changed of the plan. */
  question: string;
  /** The question word for word: another text where it replies to a plan that waited. */
  readonly said: string;
  readonly mode: Mode;
  /** The reader's language: of notices, reasons and errors. */
  readonly locale: Locale;
  /** The question's language: of prompts, of what tools say to the model, and of the answer. */
  readonly language: Locale;
  readonly conversation: Conversation;
  /** A person waits for the answer at one of our own interfaces. */
  readonly isInteractive: boolean;
  /** What a model reads of the conversation so far, oldest first; set once, before the first turn. */
  history: readonly Message[];
  /** Marks untrusted text in this run's prompts; nobody outside can guess it. */
  readonly marker: string;
  /** The answer as it grows. */
  readonly answer: AnswerText;
  readonly models: Models;
  /** The tools that models are offered. */
  readonly tools: Map<string, Tool>;
  /** Those and all others there are. */
  readonly catalog: ToolCatalog;
  readonly prompts: Prompts;
  readonly limits: Limits;
  /** How many agents stand above this one. */
  readonly depth: number;
  /** The caller's trace; absent where it has none. */
  readonly trace: TraceContext | undefined;
  readonly clock: RunClock;
  /** The user's own rule for after each round; absent: the built-in ones decide. */
  readonly evaluator: Evaluator | undefined;
  readonly planPolicy: PlanPolicy;
  /** Absent where nobody can be asked. */
  readonly confirmPlan: ConfirmPlan | undefined;
  /** Asks whether a call may run; absent where nobody can be asked. */
  readonly approve: Approve | undefined;
  /** Puts a question of a program below to the reader; absent where nobody can be asked. */
  readonly elicit: Elicit | undefined;
  /** Chat mode: search the web for the raw question first. */
  readonly search: boolean;
  readonly statistics: Statistics;
  readonly subAgents: SubAgents;
  readonly repetition: Repetition;
  /** The whole results behind what the models read of them. */
  readonly results: ToolResults;
  readonly windows: ContextWindows;
  /** The keys that a vendor has refused in this run, by the name of their variable, and with what error. */
  readonly refusedKeys: Map<string, DuetError>;
  /** The ids under which calls have stood in events. */
  readonly callIds: Set<string>;
  /** Every call asked for so far, in order. */
  readonly calls: ToolCallRecord[];
  /** The caller's stop. */
  readonly callerSignal: AbortSignal;
  /** `cancelled`, or the end of the time for deciding and acting. */
  readonly decideSignal: AbortSignal;
  /** `cancelled`, or the end of the time for the whole run. */
  readonly answerSignal: AbortSignal;
  readonly emit: (event: AgentEvent) => void;
  /** Keeps for the trace what a tool gave for a call that has not ended yet. */
  readonly keepOutput: (callId: string, output: string) => void;
}

/** The two roles; the same object twice where one model is configured. */
export interface Models {
  functionCall: Model;
  answer: Model;
}

/** Whether one model plays both roles, so that its last decide turn is the answer. */
export function hasOneModel(models: Models): boolean {
  return models.functionCall === models.answer;
}
