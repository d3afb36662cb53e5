import { hash } from "node:crypto";
import type { AskRequest } from "../app/ask/ask-request.ts";
import type { AnswerForm } from "../core/answer-form.ts";
import type { Attachment } from "../core/attachment.ts";
import { type Chain, getTraceId } from "../core/chain.ts";
import { toRunUnit } from "../core/limits/limit-row.ts";
import { mapLimits, offeredLimits } from "../core/limits/limits.ts";
import type { QuestionKind } from "../core/questions/user-question.ts";
import type { HostRequest } from "../core/store/journal.ts";
import { showValue } from "../core/tools/argument-feedback.ts";
import { DuetError } from "../kit/errors.ts";
import type { Locale } from "../kit/locale.ts";
import { createRandomHex } from "../kit/random.ts";
import { createStepWriter } from "../render/step-writer.ts";
import type { AskInput } from "./ask-schema.ts";
import type { Host } from "./input/host.ts";
import { checkCeilings, readCeilings } from "./limits/caller-ceilings.ts";
import type { RunHandle } from "./live/run-handle.ts";
import type { StartRunOptions } from "./live/start-run-options.ts";
import type { CallerScope } from "./run-service.ts";

/** Represents one question, whichever interface it came through. */
export interface RunQuestionRequest {
  scope: CallerScope;
  input: AskInput;
  /** Holds the images and documents that come with the question. */
  attachments?: readonly Attachment[] | undefined;
  chain: Chain;
  host: Pick<Host, "asksForms">;
  /** Is true when nobody can answer the run's questions, now or with a token. The run then learns this at once. */
  isUnattended?: boolean | undefined;
  /** Is true when the answer asks for a consent, and the next message replies. No other question can be asked then. */
  asksInAnswer?: boolean | undefined;
  locale: Locale;
  /** Replaces the models in force. */
  models?: AskRequest["models"];
  /** Is the form of the answer, which stands for `output_schema`. */
  answerForm?: AnswerForm | undefined;
  /** Holds what the calling program supplies: the earlier messages, the instruction for answers, and options of the calls. */
  given?: GivenOptions | undefined;
  /** Is true when a person waits for the answer at our own web page. */
  isInteractive?: boolean | undefined;
  /** Sets the ID of the run. A new one is generated when absent. */
  runId?: string | undefined;
  /** Is the turn that the question follows, in place of the last one of the current branch. */
  after?: number | undefined;
  /** Says what becomes of the run when everybody who waits for it has left. The configuration does when it is absent. */
  onDisconnect?: RunHandle["onDisconnect"];
  /** Is the request that asks, where its client may cancel it in another process. */
  hostRequest?: HostRequest | undefined;
  /** Is the run with which this one goes on. Whoever asks for that one again joins this one. */
  goesOnWith?: RunHandle | undefined;
}

type GivenOptions = Pick<
  AskRequest,
  "history" | "instruction" | "stop" | "toolChoice" | "documents" | "clientTools" | "earlierSteps"
>;

/** Begins a run. Throws where there are too many, and for a conversation that cannot be. */
export function beginRun(asked: RunQuestionRequest): RunHandle {
  const { scope, input, attachments, chain, locale, models, answerForm, given, isInteractive, runId } = asked;
  const { after, onDisconnect, hostRequest, goesOnWith } = asked;
  const { duet, settings, runs, caller, mode, logSteps } = scope;
  checkConversationId(input.conversation_id);
  const ceilings = readCeilings(settings.limits);
  checkCeilings(input, ceilings);
  const isPlain = (models ?? given) === undefined;
  const run = runs.begin({
    id: runId,
    // Who asks the same of other models, or after other words, asks for something else.
    key: isPlain || input.confirmation ? (goesOnWith?.key ?? toRequestKey(asked)) : createRandomHex(),
    wantedConversationId: goesOnWith ? goesOnWith.wantedConversationId : input.conversation_id || undefined,
    caller,
    locale,
    entrance: scope.entrance,
    request: {
      ...toRequest(input),
      ceilings,
      attachments,
      ...given,
      answerForm,
      mode: input.mode ?? (input.agent ? undefined : mode),
      models,
      locale,
      chain,
      isInteractive,
      after,
    },
    onDisconnect,
    goesOnWith: goesOnWith?.id,
    hostRequest,
    canAsk: (kind) => canAskKind(asked, kind),
    asksInAnswer: asked.asksInAnswer,
    patienceMs: settings.confirmTime * 1000,
    clientPatienceMs: settings.clientToolTime * 1000,
    ask: (request) => duet.ask(request),
  });
  if (isPlain) run.asked = goesOnWith?.asked ?? { input, chain };
  if (logSteps) run.follow(createStepWriter({ write: logSteps, locale, verbose: true }));
  return run;
}

function canAskKind(
  { scope, chain, host: { asksForms }, isUnattended, asksInAnswer }: RunQuestionRequest,
  kind: QuestionKind,
): boolean {
  if (isUnattended) return false;
  if (asksInAnswer) return kind === "call" && canHandOut(scope, chain);
  if (kind === "call") return asksForms || canHandOut(scope, chain);
  return asksForms || kind === "form" || kind === "url";
}

/** Finds the run that the same request began earlier, if nobody has received its outcome and no other session needs it. */
export function findSameRun(asked: RunQuestionRequest, session?: object): RunHandle | undefined {
  const {
    scope: { runs, caller },
    input,
  } = asked;
  return runs.findSame(toRequestKey(asked), input.conversation_id || undefined, caller, session);
}

/** Finds such a run that goes on in another process. Undefined at once where no process knows the runs of another. */
export function findSameElsewhere(
  asked: RunQuestionRequest,
  session: object,
  signal: AbortSignal,
): Promise<RunHandle | undefined> | undefined {
  const {
    scope: { duet, followed, caller },
    input,
  } = asked;
  if (!duet.storedRuns.areShared) return undefined;
  const conversationId = input.conversation_id || undefined;
  return followed.findSame({ key: toRequestKey(asked), conversationId, caller, session, signal });
}

/** Returns false when the caller is another agent, because its model has no user to ask. */
export function canHandOut({ settings }: CallerScope, { depth }: Chain): boolean {
  return settings.confirm === "token" && depth === 0;
}

function toRequest(input: AskInput): StartRunOptions["request"] {
  return {
    question: input.question,
    // Hosts fill optional texts with "".
    conversationId: input.conversation_id || undefined,
    search: input.search,
    agent: input.agent || undefined,
    goesOn: input.go_on,
    tools: input.tools,
    limits: mapLimits(
      offeredLimits,
      ({ field }) => field,
      (row) => toRunUnit(row, input[row.ask]),
    ),
  };
}

/**
 * Identifies what is asked for. How long to wait and how much to tell are left out, and so is the conversation, which is only
 * known once the run has begun.
 */
function toRequestKey({
  input: { conversation_id, wait_s, detail, include, duet_chain, ...input },
  attachments = [],
  chain,
}: Pick<RunQuestionRequest, "input" | "attachments" | "chain">): string {
  const files = attachments.map(({ bytes, name = "" }) => ` ${hash("sha256", bytes)} ${name}`).join("");
  // A list of names as the second argument would also leave out what the schema of the answer says.
  const sorted = Object.fromEntries(Object.entries(input).sort(([a], [b]) => (a < b ? -1 : 1)));
  const asked = `${JSON.stringify(sorted)}${files}`;
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
      en: `conversation_id: ${shown} is not allowed (allowed: any ID except "." and "..")`,
    },
  });
}
