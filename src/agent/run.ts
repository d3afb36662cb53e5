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

/** Holds what all parts of one run share. It is created once, in `runAgent`. */
export interface Run {
  readonly id: string;
  /** Names the run in traces outside: 32 hex digits. */
  readonly traceId: string;
  /** Holds the question to answer. Plan mode adds what a reader has changed in the plan. */
  question: string;
  /** Holds the question word for word. It differs from `question` when it replies to a plan that waited. */
  readonly said: string;
  readonly mode: Mode;
  /** Is the reader's language, used for notices, reasons and errors. */
  readonly locale: Locale;
  /** Is the question's language, used for prompts, for what tools say to the model, and for the answer. */
  readonly language: Locale;
  readonly conversation: Conversation;
  /** Is true when a person waits for the answer at one of our own interfaces. */
  readonly isInteractive: boolean;
  /** Holds what a model reads of the conversation so far, oldest first. It is set once, before the first turn. */
  history: readonly Message[];
  /** Marks untrusted text in this run's prompts; nobody outside can guess it. */
  readonly marker: string;
  readonly answer: AnswerText;
  readonly models: Models;
  /** Holds the tools that models are offered. */
  readonly tools: Map<string, Tool>;
  /** Holds the offered tools and all others that exist. */
  readonly catalog: ToolCatalog;
  readonly prompts: Prompts;
  readonly limits: Limits;
  /** Counts the agents above this one. */
  readonly depth: number;
  /** Holds the caller's trace, and is undefined when there is none. */
  readonly trace: TraceContext | undefined;
  readonly clock: RunClock;
  /** Holds the user's own rule for after each round. The built-in rules decide when it is undefined. */
  readonly evaluator: Evaluator | undefined;
  readonly planPolicy: PlanPolicy;
  /** Is undefined when nobody can be asked. */
  readonly confirmPlan: ConfirmPlan | undefined;
  /** Asks whether a call may run; absent where nobody can be asked. */
  readonly approve: Approve | undefined;
  /** Puts a question of a program below to the reader; absent where nobody can be asked. */
  readonly elicit: Elicit | undefined;
  /** Is true when chat mode searches the web for the unchanged question first. */
  readonly search: boolean;
  readonly statistics: Statistics;
  readonly subAgents: SubAgents;
  readonly repetition: Repetition;
  /** Holds the whole results, of which the models read excerpts. */
  readonly results: ToolResults;
  readonly windows: ContextWindows;
  /** Maps the environment variables of keys that a vendor has refused in this run to the errors. */
  readonly refusedKeys: Map<string, DuetError>;
  /** Lists the IDs that calls have already used in events. */
  readonly callIds: Set<string>;
  /** Lists every call requested so far, in order. */
  readonly calls: ToolCallRecord[];
  readonly callerSignal: AbortSignal;
  /** Aborts with `cancelled`, or at the end of the time for deciding and acting. */
  readonly decideSignal: AbortSignal;
  /** Aborts with `cancelled`, or at the end of the time for the whole run. */
  readonly answerSignal: AbortSignal;
  readonly emit: (event: AgentEvent) => void;
  /** Keeps for the trace what a tool gave for a call that has not ended yet. */
  readonly keepOutput: (callId: string, output: string) => void;
}

/** Holds the models for the two roles. They are the same object when one model is configured. */
export interface Models {
  functionCall: Model;
  answer: Model;
}

/** Is true when one model plays both roles, so that its last decide turn is the answer. */
export function hasOneModel(models: Models): boolean {
  return models.functionCall === models.answer;
}
