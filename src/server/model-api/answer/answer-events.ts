import type { ClientToolCall } from "../../../core/client-tools.ts";
import { renderMissingConsent } from "../../../core/notices/outcome-notices.ts";
import type { AgentEvent } from "../../../core/run/events.ts";
import type { Outcome } from "../../../core/run/outcome.ts";
import type { ClientRound } from "../../../runs/client-calls.ts";
import type { RunHandle } from "../../../runs/live/run-handle.ts";
import type { HttpRefusal } from "../../http/response/dialects.ts";
import { HttpRefusalError, internal } from "../../http/response/refusal.ts";
import { renderConsentQuestion } from "../consent-question.ts";
import { renderCutMark } from "../cut-mark.ts";
import { createReasoning } from "../reasoning.ts";
import { createSentText } from "../sent-text.ts";
import { createTurnText } from "../turn-text.ts";
import { type AnswerEnd, removeUsage, sumUsage, toAnswerEnd } from "./answer-end.ts";
import { type AnswerSearch, createSearchReader } from "./answer-search.ts";
import type { OpenedAnswer } from "./open-answer.ts";

/**
 * Represents what an answer has next for its client. Texts add to what was said before. The last event is `end`
 * or `failure`, and there is none after it; calls of the client's tools stand right before an `end` whose finish is `tool-calls`.
 * A `search` says that the run has searched the web, which its reasoning tells as well. A `tick` says nothing: it comes while the run is silent, so that proxies and clients do not give up the connection.
 */
export type AnswerEvent =
  | { type: "reasoning"; text: string }
  | { type: "text"; text: string }
  | { type: "tool-call"; call: ClientToolCall }
  | { type: "search"; search: AnswerSearch }
  | { type: "tick" }
  | { type: "end"; end: AnswerEnd; whole?: WholeText }
  | { type: "failure"; failure: HttpRefusal };

/** Holds an answer as its run has it, where the texts that were sent are only a part of it and cannot be taken back. */
export interface WholeText {
  text: string;
  end: AnswerEnd;
}

/** Is the time between two ticks, in milliseconds. Proxies and clients give up a silent connection. */
const tickMs = 10_000;

/**
 * Gives the events of an answer as they come, those that there are already at once. Resolves after the last one, or when the signal
 * aborts, and leaves the run as it is. `handle` must not throw.
 */
export async function followAnswer(
  answer: OpenedAnswer,
  handle: (event: AnswerEvent) => void,
  signal: AbortSignal,
): Promise<void> {
  const { run, request, locale, notes } = answer;
  // A reader in the background comes back by the number of an event, and drafts are not there for another process.
  const reasoning = createReasoning(locale, { detail: request.reasoning, showsDrafts: request.isBackground !== true });
  const sent = createSentText();
  const turnText = createTurnText();
  const readSearch = createSearchReader();
  const addReasoning = (text: string): void => {
    if (text !== "" && request.reasoning !== "none") handle({ type: "reasoning", text });
  };

  function addText(text: string): void {
    const rest = sent.push(text);
    if (rest !== "") handle({ type: "text", text: rest });
  }

  function take(event: AgentEvent): void {
    const thought = reasoning(event);
    turnText.take(event);
    if (event.type === "answer-delta") addText(event.text);
    else if (event.type === "answer-restart") sent.restart();
    else addReasoning(thought);
    const search = readSearch(event);
    if (search) handle({ type: "search", search });
  }

  function finish(over: AnswerOver): void {
    if ("round" in over && over.round.consent) {
      handle({ type: "text", text: renderConsentQuestion(over.round.consent, locale) });
      handle({ type: "end", end: toPauseEnd(answer, over.round) });
      return;
    }
    if ("round" in over) {
      if (turnText.getText() !== "") handle({ type: "text", text: turnText.getText() });
      for (const call of over.round.calls) handle({ type: "tool-call", call });
      handle({ type: "end", end: toPauseEnd(answer, over.round) });
      return;
    }
    const ending = toRoundEnd(answer, over.outcome);
    if ("failure" in ending) {
      handle({ type: "failure", failure: ending.failure });
      return;
    }
    for (const line of renderMissingConsent(ending)) handle({ type: "text", text: `\n\n${line}` });
    const mark = renderCutMark(over.outcome, { request, locale, isCut: sent.isCut() });
    if (mark !== "") handle({ type: "text", text: mark });
    if (ending.notice !== "") addReasoning(`\n\n${ending.notice}`);
    if (!sent.isCut()) {
      handle({ type: "end", end: ending });
      return;
    }
    const text = renderWholeText(answer, { outcome: over.outcome, end: ending, text: readRoundText(answer) });
    handle({ type: "end", end: { ...ending, finish: "length" }, whole: { text, end: ending } });
  }

  const tick = setInterval(() => handle({ type: "tick" }), tickMs);
  const unfollow = isCurrent(answer) ? run.follow(take) : () => {};
  try {
    for (const note of notes) addReasoning(`ℹ ${note}\n\n`);
    if (request.conversation.lead !== "" && answer.roundIndex === 0)
      handle({ type: "text", text: request.conversation.lead });
    for (const event of listRoundEvents(answer)) take(event);
    if (run.draft && isCurrent(answer)) take({ type: "draft-delta", draft: run.draft.draft, text: run.draft.text });
    const over = await waitForRound(answer, signal);
    if (over !== undefined && !signal.aborted) finish(over);
  } catch (thrown) {
    // A fault of our own must not leave the reader waiting for the end.
    answer.onFault?.(run, thrown);
    handle({ type: "failure", failure: internal });
  } finally {
    clearInterval(tick);
    unfollow();
  }
}

/** Holds an answer whose client gets it whole. */
export interface WholeAnswer {
  text: string;
  reasoning: string;
  calls: readonly ClientToolCall[];
  end: AnswerEnd;
}

/** Waits for an answer as a whole. Throws `HttpRefusalError` when there is none. */
export async function waitForAnswer(answer: OpenedAnswer): Promise<WholeAnswer> {
  const { run, request, locale, notes, left } = answer;
  const reasoning = createReasoning(locale, { detail: request.reasoning });
  const over = await waitForRound(answer, left);
  const thoughts: string[] = notes.map((note) => `ℹ ${note}\n\n`);
  const turnText = createTurnText();
  for (const event of listRoundEvents(answer)) {
    thoughts.push(reasoning(event));
    turnText.take(event);
  }
  const text = readRoundText(answer);
  const toReasoning = (): string => (request.reasoning === "none" ? "" : thoughts.join("").trim());
  if (over !== undefined && "round" in over) {
    const { calls, consent } = over.round;
    const asked = consent && renderConsentQuestion(consent, locale);
    return {
      text: text + (asked ?? turnText.getText()),
      reasoning: toReasoning(),
      calls,
      end: toPauseEnd(answer, over.round),
    };
  }
  const outcome = over?.outcome ?? run.snapshot();
  const end = toRoundEnd(answer, outcome);
  if ("failure" in end) throw new HttpRefusalError(end.failure);
  if (end.notice !== "") thoughts.push(`\n\n${end.notice}`);
  return { text: renderWholeText(answer, { outcome, end, text }), reasoning: toReasoning(), calls: [], end };
}

/** Returns the text of a run's last answer. `text` is what its events say of it. */
function renderWholeText(
  { run, request, locale, roundIndex }: OpenedAnswer,
  { outcome, end, text }: { outcome: Outcome; end: AnswerEnd; text: string },
): string {
  // The events of a run are dropped some time after its end, and its answer is not.
  const said = roundIndex === 0 ? run.snapshot().response : text;
  const lines = [said, ...renderMissingConsent(end)].join("\n\n");
  const lead = roundIndex === 0 ? request.conversation.lead : "";
  return lead + lines + renderCutMark(outcome, { request, locale, isCut: false });
}

/** Returns what the events of an answer say of its text, without what was written anew since. */
function readRoundText(answer: OpenedAnswer): string {
  let text = "";
  for (const event of listRoundEvents(answer))
    if (event.type === "answer-delta") text += event.text;
    else if (event.type === "answer-restart") text = "";
  return text;
}

/** Says what ended an answer: what it waits for from its client, or its end. */
type AnswerOver = { round: ClientRound } | { outcome: Outcome };

/** Resolves when there is nothing more to come, or with nothing when the signal aborts. */
export async function waitForRound(
  { run, roundIndex }: OpenedAnswer,
  signal: AbortSignal,
): Promise<AnswerOver | undefined> {
  for (;;) {
    const round = run.clientCalls.rounds[roundIndex];
    if (round) return { round };
    if (run.outcome) return { outcome: run.outcome };
    if (signal.aborted) return undefined;
    await run.waitForChange(signal);
  }
}

/** Returns true while the run may still add to this answer. */
function isCurrent({ run, roundIndex }: OpenedAnswer): boolean {
  return run.clientCalls.rounds[roundIndex] === undefined;
}

/** Lists the events of a run that belong to one answer. */
function listRoundEvents({ run, roundIndex }: OpenedAnswer): readonly AgentEvent[] {
  const { rounds } = run.clientCalls;
  return run.events.slice(rounds[roundIndex - 1]?.place.event ?? 0, rounds[roundIndex]?.place.event);
}

/** Returns the end of an answer that asks for calls of the client's tools, or its user for consent. */
function toPauseEnd({ run, roundIndex }: OpenedAnswer, { place, consent }: ClientRound): AnswerEnd {
  return {
    finish: consent ? "stop" : "tool-calls",
    usage: removeUsage(sumUsage(Object.values(place.models)), getUsageBefore(run, roundIndex)),
    citations: [],
    notice: "",
    notices: undefined,
    output: undefined,
  };
}

/** Returns the end of a run as that of its last answer, which has only its own share of the tokens and of the text. */
function toRoundEnd(answer: OpenedAnswer, outcome: Outcome): AnswerEnd | { failure: HttpRefusal } {
  const { run, roundIndex, locale } = answer;
  const end = toAnswerEnd(outcome, locale);
  if ("failure" in end || roundIndex === 0) return end;
  const before = run.events
    .slice(0, run.clientCalls.rounds[roundIndex - 1]?.place.event)
    .reduce((sum, event) => sum + (event.type === "answer-delta" ? event.text.length : 0), 0);
  const toOwnIndex = (index: number): number => Math.max(0, index - before);
  const citations = end.citations.map((one) => ({ ...one, start: toOwnIndex(one.start), end: toOwnIndex(one.end) }));
  return { ...end, citations, usage: removeUsage(end.usage, getUsageBefore(run, roundIndex)) };
}

function getUsageBefore(run: RunHandle, roundIndex: number) {
  return sumUsage(Object.values(run.clientCalls.rounds[roundIndex - 1]?.place.models ?? {}));
}
