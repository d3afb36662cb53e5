import type { ImagePart, MessageSources, ToolCall } from "../../../core/model/messages.ts";
import type { ToolEnd } from "../../../core/run/events.ts";
import type { ToolCallRecord } from "../../../core/run/outcome.ts";
import { type NumberedSource, renderFile, renderFiles, renderPage, renderSources } from "../../../core/sources.ts";
import { getFailureKind } from "../../../core/tools/failure-kind.ts";
import { getOwnName } from "../../../core/tools/own-name.ts";
import { isRefusedCall } from "../../../core/tools/refused-call.ts";
import type { Tool, ToolResult } from "../../../core/tools/tool.ts";
import { ignoreRejection } from "../../../kit/async/ignore-rejection.ts";
import { sleep } from "../../../kit/async/timeout.ts";
import { say, type Text } from "../../../kit/locale.ts";
import { removeColours, sanitizeLine } from "../../../kit/text/sanitize.ts";
import { truncate } from "../../../kit/text/truncate.ts";
import { listReadings } from "../../citations/readings.ts";
import { takeAgentCharges } from "../../limits/agent-charges.ts";
import { getRemainingBudget } from "../../limits/reached-limit.ts";
import type { RecordedCall } from "../../record/recorded-steps.ts";
import type { LoopState, Run, RunInput } from "../../run.ts";
import { type ShownResult, takeImages } from "../../tools/result-images.ts";
import type { ResultKind } from "../../tools/tool-results.ts";
import type { CallAllowance } from "./call-allowance.ts";
import { type CallOutcome, runCall } from "./run-call.ts";
import { toRepeatedResult } from "./unrun-results.ts";

/** Holds a call and its result, as the models read it. */
export interface Observation {
  call: ToolCall;
  result: ToolResult;
  /** Holds the result, with its sources under their numbers in this conversation. */
  text: string;
  /** Names the sources of the result, where it has any. */
  sources?: MessageSources | undefined;
  /** Lists the images of the result, which the models see beside the text. */
  images: readonly ImagePart[];
  /** Is true when the call reached its tool. Only such calls count against the limit, but not one that a person refused. */
  ran: boolean;
  /** Is true when the call was refused because it would only repeat a known result. */
  isRepeated: boolean;
  /** Is true when the call was refused because no more calls are allowed. */
  isOverLimit: boolean;
  /** Is true when the result differs from what the same call returned before. */
  isNews: boolean;
}

const previewLength = 200;
/** Limits a failure's message in its event, in characters. The models read more of it. */
const longestMessage = 2000;

interface OneCall {
  call: ToolCall;
  /** Names the call in events: the model's id, made unique where the model uses one twice in a run. */
  callId: string;
  record: ToolCallRecord;
  step: number;
  allowance: CallAllowance;
  isSecond?: boolean;
}

/**
 * Makes one call, and repeats it once when its failure is temporary and the tool may be called again
 * (docs/development/agent-architecture.md#错误处理).
 */
export async function observeCall(run: Run, one: OneCall): Promise<Observation> {
  const observation = await makeCallWithRetry(run, one);
  // However often it was tried, it is one result that the model reads.
  const isNews = !observation.isRepeated && run.state.repetition.learn(one.call, observation.text);
  return { ...observation, isNews };
}

async function makeCallWithRetry(run: Run, one: OneCall): Promise<Omit<Observation, "isNews">> {
  const { observation, mayRepeat } = await makeCall(run, one);
  const { call } = one;
  if (!mayRepeat || !isTemporary(observation.result) || !hasTimeFor(run, one)) return observation;
  await ignoreRejection(sleep(pauseMs, run.services.clock.decideSignal), "the signal is looked at after the pause");
  if (!hasTimeFor(run, one)) return observation;
  run.services.emit({
    type: "notice",
    level: "info",
    code: "tool-retry",
    message: say(run.input.locale, describeRetry(call.name)),
  });
  const record = toRecord(call);
  run.state.calls.push(record);
  const again = await makeCall(run, { ...one, record, callId: createEventId(run.state, call.id), isSecond: true });
  return again.observation;
}

/** Is the pause before the second attempt, in milliseconds. */
const pauseMs = 250;

/** Is true when the failure may pass by itself. */
function isTemporary({ ok, error }: ToolResult): boolean {
  if (ok || error === undefined) return false;
  const kind = getFailureKind(error);
  return kind === "temporary" || kind === "lost";
}

/** The second try may take as long as the first one did. Plan mode tries its steps again by its own rule. */
function hasTimeFor(run: Run, { allowance, record }: OneCall): boolean {
  if (run.input.mode !== "agent" || run.services.clock.decideSignal.aborted || allowance.left < 1) return false;
  return run.services.clock.leftMs("decide") > record.elapsed_ms;
}

function describeRetry(name: string): Text {
  return { zh: `${name} 暂时失败，自动重试一次`, en: `${name} failed temporarily; retrying once` };
}

const failedTwice: Text = { zh: "（已自动重试一次，仍然失败）", en: "(It was retried once and failed again.)" };

/** Returns the title of the events of a call, where its tool has one. */
function findOwnName(tool: Tool | undefined): { title?: string } {
  const title = tool && getOwnName(tool);
  return title === undefined ? {} : { title };
}

/** Makes one call and emits its two events around it. */
async function makeCall(
  run: Run,
  { call, callId, record, step, allowance, isSecond = false }: OneCall,
): Promise<{ observation: Omit<Observation, "isNews">; mayRepeat: boolean }> {
  const started = performance.now();
  const names = { tool: call.name, ...findOwnName(run.services.catalog.findTool(call.name)) };
  run.services.emit({ type: "tool-start", callId, step, ...names, arguments: record.arguments });
  // A search for tools loads what it finds, so it is made again.
  const isFinder = call.name === run.services.catalog.finder?.name;
  const recorded = isFinder ? undefined : run.services.record.findCall(callId);
  const isRepeated = recorded?.isRepeated ?? run.state.repetition.isRepeated(call);
  const done: CallOutcome = recorded
    ? replayCall(run, recorded, allowance)
    : isRepeated
      ? { result: toRepeatedResult(run.input, call.name), ran: false }
      : await runCall(run, call, callId, allowance);
  const { ran, queuedMs = 0, waitedMs = 0, mayRepeat = false, isOverLimit = false } = done;
  const { result, images } = recorded ? replayImages(run, recorded) : takeImages(run, done.result);
  if (ran) run.services.keepOutput(callId, result.text);
  const sources = await numberSources(run.input, result);
  const named = sources && { numbers: sources.map(({ n }) => n), kind: result.kind };
  const read = readBy(run.state, result, sources, recorded);
  const text = isSecond && !result.ok ? `${read}\n${say(run.input.language, failedTwice)}` : read;
  const shown = result.shown ?? text;
  record.result = shown;
  record.arguments = result.arguments ?? record.arguments;
  record.ok = result.ok;
  record.cached = result.cached ?? false;
  record.elapsed_ms = recorded?.elapsedMs ?? Math.round(performance.now() - started - queuedMs - waitedMs);
  if (recorded === undefined && !isFinder) {
    const { content: _, ...kept } = result;
    const files = images.length > 0 ? run.services.files.list(images) : undefined;
    const recording: RecordedCall = {
      result: kept,
      read: read === result.text ? undefined : read,
      number: run.state.results.findNumber(read),
      sources: named,
      images: images.length > 0 ? images : undefined,
      source: run.services.catalog.all.get(call.name)?.source,
      ran,
      isRepeated,
      isOverLimit,
      // A person who was asked has agreed to one call.
      mayRepeat: mayRepeat && waitedMs === 0,
      elapsedMs: record.elapsed_ms,
    };
    await run.services.record.addCall(callId, recording, { files, charges: takeAgentCharges(run) });
  }
  run.services.emit({
    type: "tool-end",
    callId,
    step,
    ...names,
    ok: result.ok,
    cached: record.cached,
    preview: truncate(sanitizeLine(removeColours(shown.slice(0, 2 * previewLength))), previewLength),
    ...(result.kind === undefined ? toFoundFields(sources) : {}),
    elapsedMs: record.elapsed_ms,
    permission: result.permission,
    error: result.error && { ...result.error, message: truncate(result.shown ?? result.error.message, longestMessage) },
  });
  const observation = { call, result, text, sources: named, images, ran, isRepeated, isOverLimit };
  return { observation, mayRepeat: mayRepeat && ran && waitedMs === 0 };
}

/** Adds the images of a recorded call to the run, as `takeImages` did. Its text says so already. */
function replayImages({ state }: Run, { result, images = [] }: RecordedCall): ShownResult {
  state.images.push(...images);
  return { result, images: [...images] };
}

/** Gives back what a call of an earlier process came to. */
function replayCall(run: Run, recorded: RecordedCall, allowance: CallAllowance): CallOutcome {
  const { result, ran, mayRepeat, isOverLimit, source } = recorded;
  if (ran && !isRefusedCall(result)) allowance.reserve()?.settle(true);
  if (result.usage && source !== undefined) {
    const reservation = run.state.subAgents.reserveBudget(getRemainingBudget(run.state, run.input.limits), 1);
    run.state.subAgents.add(source, { ...result.usage, isCounted: true }, reservation);
    reservation.release();
  }
  return { result, ran, mayRepeat, isOverLimit };
}

/** Returns a result as the models read it. Its sources have their numbers. One that was read before stays as it was read. */
function readBy(
  state: LoopState,
  result: ToolResult,
  sources: NumberedSource[] | undefined,
  recorded: RecordedCall | undefined,
): string {
  const { text, kind } = toReadText(state, result, sources);
  if (recorded === undefined) return state.results.read(text, kind);
  const { read = result.text, number } = recorded;
  if (number !== undefined) state.results.restore(text, kind, { read, number });
  return read;
}

function toReadText(
  state: LoopState,
  { text, kind }: ToolResult,
  sources: NumberedSource[] | undefined,
): { text: string; kind: ResultKind } {
  const [first] = sources ?? [];
  if (first === undefined || sources === undefined) return { text, kind: "text" };
  listReadings({ text, kind }, sources).forEach(state.evidence.add);
  if (kind === "page") return { text: renderPage(first, text), kind: "text" };
  if (kind === "file") return { text: renderFile(first, text), kind: "text" };
  if (kind === "files" || kind === "cited") return { text: renderFiles(sources, text), kind: "text" };
  return { text: renderSources(sources), kind: "sources" };
}

export function createEventId(state: LoopState, id: string): string {
  let unique = id;
  for (let again = 2; state.callIds.has(unique); again++) unique = `${id}#${again}`;
  state.callIds.add(unique);
  return unique;
}

export function toRecord(call: ToolCall): ToolCallRecord {
  return {
    tool: call.name,
    arguments: call.arguments ?? call.argumentsText,
    result: "",
    ok: false,
    cached: false,
    elapsed_ms: 0,
  };
}

async function numberSources(
  input: RunInput,
  { ok, sources = [], kind }: ToolResult,
): Promise<NumberedSource[] | undefined> {
  if (!ok || sources.length === 0) return undefined;
  // The lines that a search found are its result; the conversation keeps the file alone.
  const kept = kind === "files" ? sources.map((source) => ({ ...source, snippet: "" })) : sources;
  const numbers = await input.conversation.sources.number(kept);
  return sources.map((source, index) => ({ n: numbers[index] ?? 0, source }));
}

function toFoundFields(sources: NumberedSource[] | undefined): Pick<ToolEnd, "resultCount" | "top"> {
  if (sources === undefined) return {};
  const top = sources.slice(0, 3).map(({ n, source: { title, url, snippet } }) => ({ n, title, url, snippet }));
  return { resultCount: sources.length, top };
}
