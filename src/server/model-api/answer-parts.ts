import type { AgentEvent } from "../../core/events.ts";
import { renderMissingConsent } from "../../core/notices.ts";
import type { Outcome } from "../../core/outcome.ts";
import type { RunHandle } from "../../runs/run-handle.ts";
import type { HttpRefusal } from "../http/response/dialects.ts";
import { HttpRefusalError, internal } from "../http/response/refusal.ts";
import { type AnswerEnd, toAnswerEnd } from "./answer-end.ts";
import { renderCutMark } from "./cut-mark.ts";
import type { ClientCall } from "./model-request.ts";
import type { OpenedAnswer } from "./open-answer.ts";
import { createReasoning } from "./reasoning.ts";
import { createSentText } from "./sent-text.ts";

/**
 * Represents a piece of an answer in the order in which the client gets it. Texts add to what was said before. The last part is `end`
 * or `failure`, and there is none after it; calls of the client's tools stand right before an `end` whose finish is `tool-calls`.
 * A `tick` says nothing: it comes while the run is silent, so that proxies and clients do not give up the connection.
 */
export type AnswerPart =
  | { type: "reasoning"; text: string }
  | { type: "text"; text: string }
  | { type: "tool-call"; call: ClientCall }
  | { type: "tick" }
  | { type: "end"; end: AnswerEnd }
  | { type: "failure"; failure: HttpRefusal };

/** Is the time between two ticks, in milliseconds. Proxies and clients give up a silent connection. */
const tickMs = 10_000;

/**
 * Gives the parts of an answer as they come, those that there are already at once. Resolves after the last one, or when the signal
 * aborts, and leaves the run as it is. `handle` must not throw.
 */
export async function followAnswer(
  { run, request, locale, notes }: OpenedAnswer,
  handle: (part: AnswerPart) => void,
  signal: AbortSignal,
): Promise<void> {
  const reasoning = createReasoning(locale, { detail: request.reasoning, showsDrafts: true });
  const sent = createSentText();
  const addReasoning = (text: string): void => {
    if (text !== "" && request.reasoning !== "none") handle({ type: "reasoning", text });
  };

  function addText(text: string): void {
    const rest = sent.push(text);
    if (rest !== "") handle({ type: "text", text: rest });
  }

  function take(event: AgentEvent): void {
    const thought = reasoning(event);
    if (event.type === "answer-delta") addText(event.text);
    else if (event.type === "answer-restart") sent.restart();
    else addReasoning(thought);
  }

  function finish(outcome: Outcome): void {
    const ending = toAnswerEnd(outcome, locale);
    if ("failure" in ending) {
      handle({ type: "failure", failure: ending.failure });
      return;
    }
    for (const line of renderMissingConsent(ending)) handle({ type: "text", text: `\n\n${line}` });
    const mark = renderCutMark(outcome, { request, locale, isCut: sent.isCut });
    if (mark !== "") handle({ type: "text", text: mark });
    if (ending.notice !== "") addReasoning(`\n\n${ending.notice}`);
    handle({ type: "end", end: sent.isCut ? { ...ending, finish: "length" } : ending });
  }

  const tick = setInterval(() => handle({ type: "tick" }), tickMs);
  const unfollow = run.follow(take);
  try {
    for (const note of notes) addReasoning(`ℹ ${note}\n\n`);
    if (request.conversation.lead !== "") handle({ type: "text", text: request.conversation.lead });
    for (const event of run.events) take(event);
    if (run.draft) take({ type: "draft-delta", draft: run.draft.draft, text: run.draft.text });
    const outcome = await waitForEnd(run, signal);
    if (outcome !== undefined && !signal.aborted) finish(outcome);
  } catch {
    // A fault of our own must not leave the reader waiting for the end.
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
  calls: readonly ClientCall[];
  end: AnswerEnd;
}

/** Waits for an answer as a whole. Throws `HttpRefusalError` when there is none. */
export async function waitForAnswer({ run, request, locale, notes, left }: OpenedAnswer): Promise<WholeAnswer> {
  const reasoning = createReasoning(locale, { detail: request.reasoning });
  const thoughts: string[] = notes.map((note) => `ℹ ${note}\n\n`);
  const take = (event: AgentEvent): void => void thoughts.push(reasoning(event));
  for (const event of run.events) take(event);
  const unfollow = run.follow(take);
  const outcome = (await waitForEnd(run, left)) ?? run.snapshot();
  unfollow();
  const end = toAnswerEnd(outcome, locale);
  if ("failure" in end) throw new HttpRefusalError(end.failure);
  if (end.notice !== "") thoughts.push(`\n\n${end.notice}`);
  return {
    text: [
      request.conversation.lead,
      [outcome.response, ...renderMissingConsent(end)].join("\n\n"),
      renderCutMark(outcome, { request, locale, isCut: false }),
    ].join(""),
    reasoning: request.reasoning === "none" ? "" : thoughts.join("").trim(),
    calls: [],
    end,
  };
}

async function waitForEnd(run: RunHandle, signal: AbortSignal): Promise<Outcome | undefined> {
  while (run.outcome === undefined && !signal.aborted) await run.waitForChange(signal);
  return run.outcome;
}
