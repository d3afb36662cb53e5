import type { ToolEnd } from "../../core/events.ts";
import type { ImagePart, MessageSources, ToolCall } from "../../core/messages.ts";
import type { ToolCallRecord } from "../../core/outcome.ts";
import { type NumberedSource, renderFile, renderFiles, renderPage, renderSources } from "../../core/sources.ts";
import { getFailureKind } from "../../core/tools/failure-kind.ts";
import { fillDefaults } from "../../core/tools/fill-defaults.ts";
import { getOwnName } from "../../core/tools/own-name.ts";
import { isRefusedCall } from "../../core/tools/refused-call.ts";
import { isOfClient, type Tool, type ToolResult } from "../../core/tools/tool.ts";
import type { TurnCharge } from "../../core/turn-charge.ts";
import { ignoreRejection } from "../../kit/async/ignore-rejection.ts";
import { sleep } from "../../kit/async/timeout.ts";
import { isDeeperThan } from "../../kit/json.ts";
import { say, type Text } from "../../kit/locale.ts";
import { redactValue } from "../../kit/text/redact.ts";
import { removeColours, sanitizeLine } from "../../kit/text/sanitize.ts";
import { truncate } from "../../kit/text/truncate.ts";
import { listReadings } from "../citations/readings.ts";
import { endAsHooksSay } from "../hooks/stop-run.ts";
import { getRemainingBudget } from "../limits/reached-limit.ts";
import type { RecordedCall } from "../record/recorded-steps.ts";
import type { LoopState, Run, RunInput } from "../run.ts";
import { type ShownResult, takeImages } from "../tools/result-images.ts";
import type { ResultKind } from "../tools/tool-results.ts";
import { exchangeCalls } from "./client-calls.ts";
import { type CallAllowance, type CallOutcome, createCallAllowance, runCall } from "./run-call.ts";
import { toOverTurnLimitResult, toRepeatedResult } from "./unrun-results.ts";

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
  /** Is true when the call reached its tool. Only such calls count against the limit. */
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
/** Limits the levels of a call's arguments. No known tool needs more, and whoever reads deeper ones may fail. */
const deepestArguments = 64;
/** Limits the calls of one turn. Further calls are refused without a notice to the reader. */
const mostCallsPerTurn = 50;

/**
 * Runs the calls of one turn side by side and answers in the order they were asked; once `allowed` of them were made, the
 * others are answered with a refusal. Throws only where a hook ends the run.
 */
export async function act(run: Run, calls: readonly ToolCall[], step: number, allowed: number): Promise<Observation[]> {
  const heard = toMadeCalls(run, calls);
  const observations: Observation[] = calls.map((call) => toRefusedObservation(run.input, call));
  const records = heard.map(toRecord);
  run.state.calls.push(...records);
  const sideBySide = Math.min(run.input.limits.maxParallel, heard.length);
  const allowance = createCallAllowance(run, allowed, sideBySide);
  const callIds = heard.map(({ id }) => createEventId(run.state, id));
  await run.services.record.intend(heard, { callIds, consentIds: listConsentIds(run, heard) });
  async function runOne(index: number): Promise<void> {
    const call = heard[index];
    const record = records[index];
    const callId = callIds[index];
    if (call && record && callId !== undefined)
      observations[index] = await observeCall(run, {
        call,
        callId,
        record,
        step,
        allowance,
      });
  }
  const isOutside = ({ name }: ToolCall): boolean => {
    const tool = run.services.catalog.findTool(name);
    return tool !== undefined && isOfClient(tool);
  };
  const own = [...heard.keys()].filter((index) => heard[index] && !isOutside(heard[index]));
  let next = 0;
  async function runCalls(): Promise<void> {
    for (let index = own[next++]; index !== undefined; index = own[next++]) await runOne(index);
  }
  // What the asking program runs is held until all others are done: it gets the calls of a turn together.
  const outside = [...heard.keys()].filter((index) => !own.includes(index)).map(runOne);
  await Promise.all(Array.from({ length: sideBySide }, runCalls));
  if (outside.length > 0) await exchangeCalls(run);
  await Promise.all(outside);
  for (const { call, result, ran } of observations) {
    const tool = ran ? run.services.catalog.findTool(call.name) : undefined;
    if (tool) run.state.sending.learn(tool, result);
  }
  endAsHooksSay(observations);
  return observations;
}

/** Returns the calls of a turn as they are made. */
function toMadeCalls(run: Run, calls: readonly ToolCall[]): ToolCall[] {
  return calls
    .slice(0, mostCallsPerTurn)
    .map(limitDepth)
    .map((call) => removeMarker(call, run.input.marker))
    .map((call) => withDefaults(run, call));
}

/** Lists the IDs of the calls that are not made before a person has agreed. Calls with the same ID all have to be. */
export function listConsentIds(run: Run, calls: readonly ToolCall[]): string[] {
  const isConsentNeeded = ({ name, arguments: args }: ToolCall): boolean =>
    args !== undefined && run.services.catalog.findTool(name)?.needsConsent?.(args, run.state) === true;
  const made = toMadeCalls(run, calls);
  const others = new Set(made.filter((call) => !isConsentNeeded(call)).map(({ id }) => id));
  return made.flatMap(({ id }) => (others.has(id) ? [] : [id]));
}

/** Arguments that are too deep to be walked through are treated as unreadable. */
function limitDepth(call: ToolCall): ToolCall {
  return isDeeperThan(call.arguments, deepestArguments) ? { ...call, arguments: undefined } : call;
}

/** A tool must not learn the marker of untrusted text: with it, it could end its own fence. */
function removeMarker(call: ToolCall, marker: string): ToolCall {
  const clean = (text: string): string => text.replaceAll(marker, "…");
  const [argumentsText, args] = [clean(call.argumentsText), redactValue(call.arguments, clean)];
  if (argumentsText === call.argumentsText && args === call.arguments) return call;
  return { ...call, argumentsText, arguments: args };
}

/** Returns the call as it is made: readers, rules and records see the defaults of fields that the model left out. */
function withDefaults(run: Run, call: ToolCall): ToolCall {
  const tool = run.services.catalog.findTool(call.name);
  if (tool === undefined || call.arguments === undefined) return call;
  return { ...call, arguments: fillDefaults(call.arguments, tool.inputSchema) };
}

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
async function observeCall(run: Run, one: OneCall): Promise<Observation> {
  const observation = await makeCalls(run, one);
  // However often it was tried, it is one result that the model reads.
  const isNews = !observation.isRepeated && run.state.repetition.learn(one.call, observation.text);
  return { ...observation, isNews };
}

async function makeCalls(run: Run, one: OneCall): Promise<Omit<Observation, "isNews">> {
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
  const { ran, waitedMs = 0, mayRepeat = false, isOverLimit = false } = done;
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
  record.elapsed_ms = recorded?.elapsedMs ?? Math.round(performance.now() - started - waitedMs);
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

/** Returns what other agents have billed since the last time, which is counted for the day of the caller. */
export function takeAgentCharges({ state, services: { budget } }: Run): TurnCharge[] {
  const used = state.subAgents.takeUncounted();
  if (budget === undefined || (used.tokens <= 0 && used.cost <= 0)) return [];
  return [{ reservation: budget.openBill(), used }];
}

/** Adds the images of a recorded call to the run, as `takeImages` did. Its text says so already. */
function replayImages({ state }: Run, { result, images = [] }: RecordedCall): ShownResult {
  state.images.push(...images);
  return { result, images: [...images] };
}

/** Gives back what a call of an earlier process came to. */
function replayCall(run: Run, recorded: RecordedCall, allowance: CallAllowance): CallOutcome {
  const { result, ran, mayRepeat, isOverLimit, source } = recorded;
  if (ran && !isRefusedCall(result)) allowance.reserve();
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

function createEventId(state: LoopState, id: string): string {
  let unique = id;
  for (let again = 2; state.callIds.has(unique); again++) unique = `${id}#${again}`;
  state.callIds.add(unique);
  return unique;
}

function toRecord(call: ToolCall): ToolCallRecord {
  return {
    tool: call.name,
    arguments: call.arguments ?? call.argumentsText,
    result: "",
    ok: false,
    cached: false,
    elapsed_ms: 0,
  };
}

function toRefusedObservation(input: RunInput, call: ToolCall): Observation {
  const result = toOverTurnLimitResult(input, mostCallsPerTurn);
  return {
    call,
    result,
    text: result.text,
    images: [],
    ran: false,
    isRepeated: false,
    isOverLimit: true,
    isNews: false,
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
