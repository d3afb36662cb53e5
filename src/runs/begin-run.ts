import type { AskRequest } from "../app/open-duet.ts";
import { type Chain, getTraceId } from "../core/chain.ts";
import { showValue } from "../core/tools/argument-feedback.ts";
import { DuetError, type Locale } from "../kit/errors.ts";
import { createRandomHex } from "../kit/random.ts";
import { createStepWriter } from "../render/step-writer.ts";
import type { AskInput } from "./ask-schema.ts";
import type { Host } from "./input/host.ts";
import type { RunHandle, StartRunOptions } from "./run-handle.ts";
import type { CallerScope } from "./run-service.ts";

/** One question, over whichever way it came. */
export interface RunQuestionRequest {
  scope: CallerScope;
  input: AskInput;
  chain: Chain;
  host: Pick<Host, "asksForms">;
  /** Nobody answers what it asks, now or with a token: it is told so at once. */
  isUnattended?: boolean | undefined;
  locale: Locale;
  /** In place of the models in force. */
  models?: AskRequest["models"];
  /** What the program that asks brings along: what was said before, and what it wants of answers. */
  given?: Pick<AskRequest, "history" | "instruction"> | undefined;
  /** A person waits for the answer at our own page. */
  isInteractive?: boolean | undefined;
  /** The id that the run is to have; a new one when absent. */
  runId?: string | undefined;
}

/** Begins a run. Throws where there are too many, and for a conversation that cannot be. */
export function beginRun(asked: RunQuestionRequest): RunHandle {
  const { scope, input, chain, locale, models, given, isInteractive, runId } = asked;
  const { duet, settings, runs, caller, mode, logSteps } = scope;
  checkConversationId(input.conversation_id);
  const run = runs.begin({
    id: runId,
    // Who asks the same of other models, or after other words, asks for something else.
    key: (models ?? given) === undefined || input.confirmation ? keyOf(input, chain) : createRandomHex(),
    caller,
    locale,
    request: { ...toRequest(input), ...given, mode: input.mode ?? mode, models, locale, chain, isInteractive },
    asks: askable(asked),
    patienceMs: settings.confirmTime * 1000,
    ask: duet.ask,
  });
  if (logSteps) run.follow(createStepWriter({ write: logSteps, locale, verbose: true }));
  return run;
}

function askable({ scope, chain, host: { asksForms }, isUnattended }: RunQuestionRequest): StartRunOptions["asks"] {
  if (isUnattended) return { calls: false, plans: false, forms: false };
  return { calls: asksForms || canHandOut(scope, chain), plans: asksForms, forms: true };
}

/** The run that is asked for again, where nobody was given its end. */
export function findSameRun({ scope: { runs, caller }, input, chain }: RunQuestionRequest): RunHandle | undefined {
  return runs.same(keyOf(input, chain), input.conversation_id || undefined, caller);
}

/** A model above that is no host's has no user whom it could ask. */
export function canHandOut({ settings }: CallerScope, { depth }: Chain): boolean {
  return settings.confirm === "token" && depth === 0;
}

function toRequest(input: AskInput): StartRunOptions["request"] {
  return {
    question: input.question,
    // Hosts fill optional texts with "".
    conversationId: input.conversation_id || undefined,
    search: input.search,
    tools: input.tools,
    limits: {
      maxIterations: input.max_iterations,
      maxToolCalls: input.max_tool_calls,
      maxTokens: input.max_tokens,
      maxExecutionTimeMs: input.timeout_s === undefined ? undefined : input.timeout_s * 1000,
    },
  };
}

/** What is asked for, but not how long it is waited for or in which conversation: that it has only once it has begun. */
function keyOf({ conversation_id, wait_s, duet_chain, ...input }: AskInput, chain: Chain): string {
  const asked = JSON.stringify(input, Object.keys(input).sort());
  // An agent that asks itself must not be given the very run that asks.
  return chain.depth === 0 ? asked : `${chain.depth} ${getTraceId(chain.trace)} ${asked}`;
}

/** Throws `invalid_request` for an id that no address can name: a path is read without its `.` and `..`. */
export function checkConversationId(id: string | undefined): void {
  if (id !== "." && id !== "..") return;
  const shown = showValue(id);
  throw new DuetError({
    code: "invalid_request",
    text: {
      zh: `conversation_id: ${shown} 不可用（允许：除 "." 和 ".." 以外的编号）`,
      en: `conversation_id: ${shown} is not allowed (allowed: any id but "." and "..")`,
    },
  });
}
