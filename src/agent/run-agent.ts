import { checkChain } from "../core/chain.ts";
import { toModelName } from "../core/model/model.ts";
import { noticeKinds } from "../core/notices/notice-kinds.ts";
import { addNotices, toOutcomeNotices } from "../core/notices/outcome-notices.ts";
import type { AgentEvent, Notice } from "../core/run/events.ts";
import { ServerEndsError } from "../core/server-ends-error.ts";
import { LostRunError, type TakenRun } from "../core/store/journal.ts";
import type { FinishedRun } from "../core/store/store.ts";
import { UnsavedRunError } from "../core/store/unsaved-run-error.ts";
import { DuetError, toDuetError } from "../kit/errors.ts";
import type { Locale } from "../kit/locale.ts";
import { toShortLine } from "../kit/text/sanitize.ts";
import { answerFromEarlierSteps, answerInChatMode } from "./answer/chat.ts";
import { createAnswerInput, writeAnswer } from "./answer/write-answer.ts";
import { recallConversation } from "./context/recall.ts";
import { runEndHooks, runStartHooks } from "./hooks/run-hooks.ts";
import { takeAgentCharges } from "./limits/agent-charges.ts";
import { holdTimeUp } from "./limits/ask-for-more.ts";
import { createRunClock, type Limits } from "./limits/run-clock.ts";
import { hasClientTools } from "./loop/calls/client-calls.ts";
import { decideAndAct } from "./loop/decide.ts";
import { noticeUndelivered, openInbox } from "./loop/deliver-messages.ts";
import { takeEarlierSteps } from "./loop/earlier-steps.ts";
import { type DecideResult, type RunResult, toOutcome } from "./loop/run-result.ts";
import { toTurnRecord } from "./loop/turn-record.ts";
import { openRun, type RunOptions } from "./open-run.ts";
import { toFolderMessages } from "./prompts/folder-messages.ts";
import { toInstructionMessages } from "./prompts/instruction-messages.ts";
import { readTakenRun, toChosen, toRecordedFacts } from "./record/recorded-facts.ts";
import { createRunRecord } from "./record/run-record.ts";
import type { Models, Run, RunRequest } from "./run.ts";
import { createTraceRecorder } from "./trace/trace-recorder.ts";

/**
 * Runs one question and tells its events: `run-start` first, `run-end` last, whatever happens. Rejects only where it has to be recorded
 * and cannot be, and with a `LostRunError` where it goes on in another process: its end is told there. `onEvent` must not throw. Aborting
 * the signal stops the model's request and the tools' calls.
 */
export async function runAgent(options: RunOptions, onEvent: (event: AgentEvent) => void): Promise<void> {
  const started = performance.now();
  const { request, parts, observer, notices = [], spentMs = 0, recording } = options;
  const { signal = new AbortController().signal } = options;
  const taken = recording?.taken;
  const recorder = createTraceRecorder({
    question: request.question,
    startedAt: taken && Date.parse(taken.begunAt),
    goesOnWith: request.goesOnWith,
  });
  const told: Notice[] = [];
  const emit = (event: AgentEvent): void => {
    if (event.type === "notice") told.push(event);
    recorder.handle(event);
    observer?.handle(event);
    onEvent(event);
  };
  const clock = createRunClock({
    limits: request.limits,
    spentMs: taken ? 0 : spentMs,
    callerSignal: signal,
    isHeld: taken !== undefined,
  });
  const { question, mode } = await resolveQuestion(request);
  const { keepOutput } = recorder;
  const noticeUnrecorded = (problem: DuetError): void => {
    emit(noticeKinds.notResumable(run.services.describeStoreProblem(problem), request.locale));
  };
  const record = createRunRecord({
    ...{ journal: taken?.journal, steps: taken?.steps, leaving: recording?.leaving },
    ...{ clock, onFailure: noticeUnrecorded },
  });
  const environment = {
    question,
    traceId: observer?.traceId,
    chosen: taken && toChosen(taken),
    clock,
    record,
    emit,
    keepOutput,
    modelCalls: observer?.modelCalls,
  };
  const run = openRun({ ...request, mode }, parts, environment);
  const { files } = run.services;
  if (taken) files.restore(taken.files);
  const attached = files.list(run.input.attached ?? []);
  const problem =
    recording && !taken ? await record.begin(() => recording.begin(toRecordedFacts(run), attached)) : undefined;
  if (problem && recording?.isRequired) {
    clock.clear();
    throw problem;
  }
  announce(run, notices);
  if (problem) noticeUnrecorded(problem);
  if (taken && !options.refusal) emit(toTakeoverNotice(taken, request.locale));
  const stopRecord = (): void => {
    if (!hasMoved(signal)) record.stop();
  };
  signal.addEventListener("abort", stopRecord, { once: true });
  if (signal.aborted) stopRecord();
  const ending: RunResult = {};
  try {
    if (options.refusal) throw options.refusal;
    checkChain(request.chain);
    await runToEnd(run, ending);
  } catch (thrown) {
    ending.error = toDuetError(thrown);
  } finally {
    clock.clear();
  }
  await record.settle(takeAgentCharges(run));
  if (hasMoved(signal)) throw signal.reason;
  if (ending.error instanceof LostRunError) throw ending.error;
  run.state.answer.finish();
  await runEndHooks(run, ending);
  const elapsedMs = taken ? clock.getSpentMs() : performance.now() - started - clock.outsideMs;
  const own = toOutcome(run, ending, elapsedMs);
  // Nothing was given back of a run that must not go on, and its records say what an earlier process did.
  const left =
    taken &&
    options.refusal &&
    (await readTakenRun(taken, { sources: request.conversation.sources, error: own.error }));
  const outcome = left?.outcome ?? own;
  if (outcome.status === "cancelled" && signal.reason instanceof ServerEndsError) {
    const finished = outcome.tool_calls.filter(({ ok }) => ok).length;
    emit(noticeKinds.serverEnded({ finished, unclear: run.state.statistics.unclearCalls }, request.locale));
  }
  // An answer may lack what another call would have brought: a host that gets the result alone must know.
  if (outcome.status === "complete" && outcome.limit)
    emit({ ...noticeKinds.callsUsed(outcome.limit, request.locale), forLog: true });
  // The end is stored after the events, so that a process that is killed in between loses none of the answer's text.
  await recording?.flushEvents?.();
  if (hasMoved(signal)) throw signal.reason;
  await saveRun(run, {
    conversationId: run.input.conversation.id,
    runId: run.input.id,
    trace: recorder.finish(outcome),
    loadedTools: run.services.catalog.loaded && [...run.services.catalog.loaded],
    ...toTurnRecord(run, ending, outcome),
    ...left?.finished,
  });
  noticeUndelivered(run, outcome);
  for (const notice of (await options.findLateNotices?.(outcome)) ?? []) run.services.emit(notice);
  run.services.emit({ type: "run-end", outcome: addNotices(outcome, toOutcomeNotices(told)) });
}

/** Returns true where the run is no longer this process's: nothing of its end is told or stored here. */
function hasMoved({ reason }: AbortSignal): boolean {
  return reason instanceof LostRunError;
}

/** Says why another process goes on with the run: a crash, or an orderly end that nobody needs to worry about. */
function toTakeoverNotice({ isHandedOver, lastAt }: TakenRun, locale: Locale): Notice {
  return isHandedOver ? noticeKinds.runHandedOver(undefined, locale) : noticeKinds.runResumed(lastAt, locale);
}

function announce(run: Run, notices: readonly Notice[]): void {
  run.services.emit({
    type: "run-start",
    runId: run.input.id,
    traceId: run.input.traceId,
    conversationId: run.input.conversation.id,
    mode: run.input.mode,
    models: {
      functionCall: toModelName(run.services.models.functionCall),
      answer: toModelName(run.services.models.answer),
    },
    toolCount: run.services.catalog.all.size,
  });
  for (const notice of notices) run.services.emit(notice);
  const price = findUnknownPrice(run.input.limits, run.services.models, run.input.locale);
  if (price) run.services.emit(price);
}

async function runToEnd(run: Run, ending: RunResult): Promise<void> {
  run.services.clock.callerSignal.throwIfAborted();
  holdTimeUp(run);
  openInbox(run);
  checkCallOptions(run);
  const session = await runStartHooks(run);
  if (run.input.answeredBy !== undefined) {
    const { answerByAgent } = await import("./answer/answer-by-agent.ts");
    ending.written = await answerByAgent(run, run.input.answeredBy);
    return;
  }
  const instruction = toInstructionMessages(run.input);
  const folder = toFolderMessages(run);
  if (run.state.client)
    run.state.client.instruction = { messageBefore: folder.at(-1), messages: instruction, outdated: new Set() };
  await recallConversation(run, [...folder, ...instruction, ...session]);
  takeEarlierSteps(run);
  // The asking program's tools are for every mode.
  const isChat = run.input.mode === "chat" && !hasClientTools(run);
  const hasEarlierSteps = (run.input.earlierSteps ?? []).length > 0;
  if (hasEarlierSteps && (isChat || run.services.catalog.tools.size === 0)) {
    ending.written = await answerFromEarlierSteps(run);
    return;
  }
  if (isChat) {
    ending.written = await answerInChatMode(run);
    return;
  }
  if (await answerFirstByRules(run, ending)) return;
  ending.work = run.input.mode === "plan" ? await runPlan(run) : await decideAndAct(run);
  ending.written = ending.work.answer ?? (await writeAnswer(run, createAnswerInput(run, ending.work)));
}

/** Returns true when the rules have answered. */
async function answerFirstByRules(run: Run, ending: RunResult): Promise<boolean> {
  if (run.services.router === undefined || run.input.mode !== "agent" || run.input.earlierSteps) return false;
  const { answerByRules } = await import("./rules/answer-by-rules.ts");
  const answered = await answerByRules(run);
  Object.assign(ending, answered);
  return answered !== undefined;
}

/** Throws for options that no model of the run can keep, before one is called. */
function checkCallOptions({ input: { answerForm, toolChoice }, services: { models, catalog } }: Run): void {
  if (answerForm !== undefined && models.answer.followsPrompts === false) throw offlineFormError();
  if (typeof toolChoice !== "object" || catalog.findTool(toolChoice.tool) !== undefined) return;
  const shown = toShortLine(JSON.stringify(toolChoice.tool), 80);
  const names = [...catalog.tools.keys()].slice(0, 20).join(", ");
  throw new DuetError({
    code: "invalid_request",
    text: {
      zh: `toolChoice: 没有工具 ${shown}（允许：${names}）`,
      en: `toolChoice: there is no tool ${shown} (allowed: ${names})`,
    },
  });
}

function offlineFormError(): DuetError {
  return new DuetError({
    code: "config",
    text: {
      zh: "没有配置模型：离线规则不能按模式给出 JSON 回答。",
      en: "No model is configured: the offline rules cannot answer with JSON by a schema.",
    },
    hint: { zh: "请设置一个模型的密钥。", en: "Set the key of a model." },
  });
}

async function runPlan(run: Run): Promise<DecideResult> {
  const { planAndAct } = await import("./plan/plan-and-act.ts");
  return planAndAct(run);
}

/**
 * Returns the question itself. For a reply to a plan that waits in the conversation, it returns the question that the plan was
 * made for. A bare yes or no right after the plan is such a reply in agent mode too.
 */
async function resolveQuestion({
  mode,
  conversation,
  question,
}: RunRequest): Promise<Pick<RunRequest, "question" | "mode">> {
  const { pendingPlan } = conversation;
  if (mode === "chat" || pendingPlan === undefined) return { question, mode };
  const { isBareReply, resumePlan } = await import("./plan/pending-plan.ts");
  if (mode === "agent" && !isBareReply(conversation, question)) return { question, mode };
  return { question: resumePlan(pendingPlan, question)?.question ?? question, mode: "plan" };
}

/**
 * Stores a run before its end is reported: an answer that was acknowledged is there after a crash. A failure is a notice. Rejects where
 * another process goes on with the run, which tells its end.
 */
export async function saveRun(run: Run, finished: FinishedRun): Promise<void> {
  try {
    await run.services.store.append(finished);
  } catch (thrown) {
    if (thrown instanceof LostRunError) throw thrown;
    const isTriedAgain = thrown instanceof UnsavedRunError;
    // Its text is meant for whoever asks already.
    const why = isTriedAgain ? thrown.text : run.services.describeStoreProblem(toDuetError(thrown));
    run.services.emit(noticeKinds.notSaved({ why, isTriedAgain }, run.input.locale));
  }
}

/** Returns a notice when there is a cost budget and the price of a model is not known. */
export function findUnknownPrice(limits: Limits, models: Models, locale: Locale): Notice | undefined {
  const { functionCall, answer, fallbacks } = models;
  const all = [functionCall, answer, ...(fallbacks?.functionCall ?? []), ...(fallbacks?.answer ?? [])];
  const unknown = all.find(({ cost }) => cost?.(anyUsage) == null);
  if (limits.costBudget === undefined || unknown === undefined) return undefined;
  const name = toModelName(unknown);
  return noticeKinds.priceUnknown(name, locale);
}

const anyUsage = { inputTokens: 1, outputTokens: 1, reasoningTokens: 0, cachedTokens: 0 };
