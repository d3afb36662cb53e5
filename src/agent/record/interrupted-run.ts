import { listHashes } from "../../core/files/run-files.ts";
import { fromParts } from "../../core/model/message-content.ts";
import type { ToolCall, ToolMessage } from "../../core/model/messages.ts";
import { toModelName } from "../../core/model/model.ts";
import type { AgentEvent, Phase } from "../../core/run/events.ts";
import type { Outcome, ToolCallRecord } from "../../core/run/outcome.ts";
import type {
  ConversationTurn,
  NumberedResult,
  SourceList,
  TurnStep,
} from "../../core/store/conversations/conversation.ts";
import type { TakenRun } from "../../core/store/journal.ts";
import type { FinishedRun } from "../../core/store/store.ts";
import { DuetError, type ErrorReport, toErrorReport } from "../../kit/errors.ts";
import { type Locale, say } from "../../kit/locale.ts";
import { truncate } from "../../kit/text/truncate.ts";
import { checkCitations } from "../citations/citations.ts";
import { createEvidence } from "../citations/evidence.ts";
import { listEarlierReadings } from "../citations/readings.ts";
import { renderDayNote } from "../context/day-note.ts";
import { fenceResult } from "../context/fence.ts";
import { describeTurnEnd, type TurnEnd } from "../context/turn-ends.ts";
import { renderNote } from "../hooks/render-note.ts";
import { type BillPart, createStatistics, sumCosts } from "../limits/statistics.ts";
import { toUnknownOutcomeResult } from "../loop/calls/unrun-results.ts";
import { isDelivered, isRunMessage } from "../loop/deliver-messages.ts";
import { mostKeptImages } from "../loop/turn-record.ts";
import { describeDay } from "../prompts/prompt-values.ts";
import { createTraceRecorder } from "../trace/trace-recorder.ts";
import { isRecordedCall, isRecordedTurn, type RecordedCall, type RecordedTurn } from "./recorded-steps.ts";

/** Holds the outcome of a run that does not go on after its process has ended, and what its conversation keeps of it. */
export interface UnresumedRun {
  outcome: Outcome;
  finished: FinishedRun;
}

/** Returns a run whose process has ended as its conversation keeps it: its question, the calls so far and what was written. */
export function toInterruptedRun(taken: TakenRun, sources: SourceList | undefined): FinishedRun {
  return readUnresumedRun(taken, { sources }).finished;
}

export interface UnresumedRunFacts {
  /** Numbers the sources of the conversation, with which the citations of an answer are checked. */
  sources: SourceList | undefined;
  /** Says why the run does not go on, where that is known. */
  error?: ErrorReport | null;
}

/** Reads from its records what a run has done whose process has ended. */
export function readUnresumedRun(taken: TakenRun, { sources, error }: UnresumedRunFacts): UnresumedRun {
  const { runId, conversationId, header, begunAt } = taken;
  const read = readRecords(taken);
  const { turns, calls, steps } = read;
  const outcome = toOutcome(taken, read, { sources, error });
  const recorder = createTraceRecorder({
    question: header.question,
    startedAt: Date.parse(begunAt),
    goesOnWith: header.goesOnWith,
  });
  const isTold = taken.events.length > 0;
  for (const event of isTold ? taken.events : toEvents(taken, read)) recorder.handle(event);
  const images = calls.flatMap(({ recorded }) => recorded?.images ?? []).slice(-mostKeptImages);
  const results = calls.flatMap(({ recorded }) => toNumbered(recorded));
  const { attached: files = [], marker, results: lastResult = 0 } = header;
  const began = Date.parse(begunAt);
  const day = describeDay(new Date(began), header.language);
  const note = turns.length > 0 ? { note: renderDayNote({ begunAt: began, language: header.language, day }) } : {};
  const end: TurnEnd = error
    ? { status: "failed", why: { zh: error.message, en: error.message } }
    : { status: "interrupted" };
  const line = say(header.language, describeTurnEnd(end, outcome.response !== ""));
  const turn: ConversationTurn = {
    question: [header.question, ...read.unread].join("\n\n"),
    answer: outcome.response === "" ? line : `${outcome.response}\n\n${line}`,
    status: end.status,
    ...note,
    ...(steps.length > 0 && { steps }),
    ...(files.length > 0 && { files }),
    ...(images.length > 0 && { images }),
  };
  const named = new Set([...files, ...images].flatMap(listHashes));
  const finished = {
    ...{
      conversationId,
      runId,
      turn,
      marker,
      lastResult,
      branch: header.branch,
      after: header.after,
      folder: header.folder,
    },
    trace: recorder.finish(outcome),
    results,
    files: taken.files.filter(({ hash }) => named.has(hash)),
  };
  return { outcome, finished };
}

interface Records {
  turns: readonly { kind: string; turn: RecordedTurn }[];
  calls: readonly MadeCall[];
  steps: readonly TurnStep[];
  /** Lists what a person said to the run and no model has read. */
  unread: readonly string[];
}

interface MadeCall {
  call: ToolCall;
  callId: string;
  /** Is absent for a call of which nobody knows what it came to. */
  recorded: RecordedCall | undefined;
}

function readRecords({ steps: records, header }: TakenRun): Records {
  const known = new Map(records.map(({ name, data }) => [name, data]));
  const turns: { kind: string; turn: RecordedTurn }[] = [];
  const callIds = new Set<string>();
  const calls: MadeCall[] = [];
  const steps: TurnStep[] = [];
  const waiting = new Map<string, string>();
  for (const { name, data } of records) {
    if (name.startsWith("message:") && isRunMessage(data)) waiting.set(data.id, data.text);
    const last = steps.at(-1);
    if (name.startsWith("messages:") && isDelivered(data) && last) {
      const said = data.map(({ text }) => ({ role: "user", content: text }) as const);
      last.messages = [...(last.messages ?? []), ...said];
      for (const { id } of data) waiting.delete(id);
    }
    const [, kind] = /^turn:(.+):\d+$/.exec(name) ?? [];
    if (kind === undefined || !isRecordedTurn(data)) continue;
    turns.push({ kind, turn: data });
    const message = data.turn?.message;
    if (message === undefined || message.toolCalls.length === 0 || data.turn?.finish !== "tool-calls") continue;
    const made = message.toolCalls.map((call): MadeCall => {
      const callId = toUnique(call.id, callIds);
      const made = known.get(`call:${callId}`);
      return { call, callId, recorded: isRecordedCall(made) ? made : undefined };
    });
    calls.push(...made);
    steps.push({ message, results: made.map((one) => toToolMessage(one, header)) });
  }
  return { turns, calls, steps, unread: [...waiting.values()] };
}

/** Names a call as a run does that has more than one with its ID. */
function toUnique(id: string, taken: Set<string>): string {
  let unique = id;
  for (let again = 2; taken.has(unique); again++) unique = `${id}#${again}`;
  taken.add(unique);
  return unique;
}

function toToolMessage({ call, recorded }: MadeCall, { language, marker }: TakenRun["header"]): ToolMessage {
  const place = { role: "tool", callId: call.id, tool: call.name } as const;
  if (recorded === undefined)
    return { ...place, content: toUnknownOutcomeResult({ language }, call.name).text, ok: false };
  const { result, read = result.text, images = [], number, sources } = recorded;
  const text = fenceResult(read, result, marker) + renderNote(result, marker, language);
  const content = fromParts([{ type: "text", text }, ...images]);
  const numbered = { ...(number !== undefined && { result: number }), ...(sources && { sources }) };
  return { ...place, content, ok: result.ok, ...numbered };
}

function toNumbered(recorded: RecordedCall | undefined): NumberedResult[] {
  return recorded?.number === undefined ? [] : [{ n: recorded.number, text: recorded.result.text }];
}

function toOutcome(
  { runId, conversationId, header }: TakenRun,
  { turns, calls, steps }: Records,
  { sources, error }: UnresumedRunFacts,
): Outcome {
  const statistics = createStatistics();
  for (const { kind, turn } of turns) {
    const { usage, costs, elapsedMs } = turn;
    const part = toBillPart(kind);
    if (part === "functionCall") statistics.addIteration();
    statistics.add(part, { usage, costs, elapsedMs }, { model: turn.model ?? unknown, isFallback: false });
  }
  const records = calls.map((one) => toRecord(one, header.language));
  const compact = statistics.compactBill();
  const written = findWritten(header.models, turns);
  return {
    success: false,
    status: "failed",
    stop_reason: "error",
    response: sources && !header.answerFormat ? checkAnswer(written, { steps, sources, header }) : written,
    conversation_id: conversationId,
    run_id: runId,
    trace_id: header.traceId,
    tool_calls: records,
    citations: [],
    meta: {
      total_tokens: statistics.totalTokens(),
      tool_calls_count: records.length,
      latency_ms: Math.round(turns.reduce((sum, { turn }) => sum + turn.elapsedMs, 0)),
      iterations: statistics.iterations,
      mode: header.mode,
      cost_usd: statistics.totalCost(),
      models: {
        function_call: statistics.bill("functionCall", toModel(header.models.functionCall)),
        answer: statistics.bill("answer", toModel(header.models.answer)),
        ...(compact && { compact }),
      },
    },
    error: error ?? toErrorReport(interruptedError(), header.locale),
  };
}

/** Checks the citations of an answer against what the run has read; what earlier turns have read is not known here. */
function checkAnswer(
  written: string,
  { steps, sources, header }: { steps: readonly TurnStep[]; sources: SourceList; header: TakenRun["header"] },
): string {
  const { marker, language } = header;
  const evidence = createEvidence();
  listEarlierReadings([{ steps }], { marker, sources }).forEach(evidence.add);
  return checkCitations(written, { sources, evidence, language });
}

const unknown = { provider: "", model: "" };

function toBillPart(kind: string): BillPart {
  if (kind === "compress") return "compact";
  return kind === "answer" ? "answer" : "functionCall";
}

/** Splits `provider/model`. */
function toModel(name: string): { provider: string; model: string } {
  const at = name.indexOf("/");
  return { provider: name.slice(0, at), model: name.slice(at + 1) };
}

/** Returns an answer that a model had finished. */
function findWritten({ functionCall, answer }: TakenRun["header"]["models"], turns: Records["turns"]): string {
  const { kind, turn } = turns.at(-1) ?? {};
  const isAnswer = kind === "answer" || (kind === "decide" && functionCall === answer);
  return isAnswer && turn?.turn?.message.toolCalls.length === 0 ? turn.turn.message.content.trim() : "";
}

function toRecord({ call, recorded }: MadeCall, language: Locale): ToolCallRecord {
  const { shown, text } = recorded?.result ?? toUnknownOutcomeResult({ language }, call.name);
  return {
    tool: call.name,
    arguments: call.arguments ?? call.argumentsText,
    result: shown ?? recorded?.read ?? text,
    ok: recorded?.result.ok ?? false,
    cached: recorded?.result.cached ?? false,
    elapsed_ms: recorded?.elapsedMs ?? 0,
  };
}

function interruptedError(): DuetError {
  return new DuetError({
    code: "server",
    text: { zh: "程序在这次运行中意外结束", en: "the program ended unexpectedly during this run" },
  });
}

/** Tells what is recorded as events, for a trace: those of a terminal are not recorded themselves. */
function toEvents({ runId, conversationId, header }: TakenRun, { turns, calls }: Records): AgentEvent[] {
  const { traceId, mode, models } = header;
  const events: AgentEvent[] = [{ type: "run-start", runId, traceId, conversationId, mode, models, toolCount: 0 }];
  const left = [...calls];
  for (const [index, { kind, turn }] of turns.entries()) {
    const step = index + 1;
    const model = turn.model === undefined ? models.functionCall : toModelName(turn.model);
    const phase = toPhase(kind);
    events.push({ type: "phase-start", phase, step, model, reason: "" });
    const costUsd = sumCosts(turn.costs);
    const elapsedMs = Math.round(turn.elapsedMs);
    events.push({ type: "phase-end", phase, step, model, usage: turn.usage, elapsedMs, costUsd });
    for (const call of left.splice(0, turn.turn?.message.toolCalls.length ?? 0))
      events.push(...toCallEvents(call, step));
  }
  return events;
}

function toPhase(kind: string): Phase {
  if (kind === "compress") return "compact";
  return kind === "answer" || kind === "plan" ? kind : "decide";
}

function toCallEvents({ call, callId, recorded }: MadeCall, step: number): AgentEvent[] {
  const { name: tool, argumentsText } = call;
  const start = { type: "tool-start", callId, step, tool, arguments: call.arguments ?? argumentsText } as const;
  if (recorded === undefined) return [start];
  const { result, elapsedMs } = recorded;
  const preview = truncate(result.text, 200);
  return [
    start,
    { type: "tool-end", callId, step, tool, ok: result.ok, cached: result.cached ?? false, preview, elapsedMs },
  ];
}
