import { hash } from "node:crypto";
import type { Caller } from "../../core/caller.ts";
import type { ClientToolResult, ClientTools } from "../../core/client-tools.ts";
import type { RunHandle } from "../../runs/live/run-handle.ts";
import type { RunRegistry } from "../../runs/run-registry.ts";
import type { AnswerRequest } from "./answer/answer-request.ts";
import { findModel } from "./model-names.ts";

export interface ContinuedRun {
  run: RunHandle;
  /** Is described at `OpenedAnswer`. */
  roundIndex: number;
}

/**
 * Has the run go on that waits for the tool results which a request brings. Sent again, they find what the run has answered to them.
 * Returns undefined where there is no such run, or where the request asks for something else: it is then answered from the history
 * that it brings, and the run that waited ends.
 */
export async function continueRun(
  runs: RunRegistry,
  request: AnswerRequest,
  { caller, clientTools }: { caller: Caller; clientTools: ClientTools },
): Promise<ContinuedRun | undefined> {
  const step = request.conversation.steps.at(-1);
  const run = step && findRun(runs, step.calls, caller);
  if (step === undefined || run === undefined) return undefined;
  const { clientCalls } = run;
  const index = clientCalls.rounds.findIndex((round) => hasCall(round.calls, step.calls));
  const round = clientCalls.rounds[index];
  const isOpen = round !== undefined && clientCalls.open === round;
  if (clientCalls.asked !== describeRequest(request) || run.isStopping) {
    // Until it has ended, it could take the place of the run that is to begin.
    if (isOpen) await runs.cancel(run, longestEndMs);
    return undefined;
  }
  const key = hashJson([step.results.map(describeResult), step.messages]);
  if (isOpen) {
    const { results, messages } = step;
    const { toolChoice, conversation } = request;
    clientCalls.reply(
      { results, messages, toolChoice, tools: clientTools, instruction: conversation.instruction },
      key,
    );
  } else if (round?.key !== key || !canTellAgain(run)) return undefined;
  return { run, roundIndex: index + 1 };
}

/** Limits how long a run that only waits may take to end, in milliseconds. */
const longestEndMs = 2000;

function findRun(runs: RunRegistry, calls: readonly { id: string }[], caller: Caller): RunHandle | undefined {
  for (const { id } of calls) {
    const run = runs.findByClientCall(id, caller);
    if (run) return run;
  }
  return undefined;
}

function hasCall(calls: readonly { id: string }[], wanted: readonly { id: string }[]): boolean {
  return calls.some(({ id }) => wanted.some((one) => one.id === id));
}

/** A run that failed is worth another try, and the events of one that has ended are kept for a while only. */
export function canTellAgain({ outcome, events }: RunHandle): boolean {
  return outcome === undefined || (events.length > 0 && outcome.status !== "failed" && outcome.status !== "cancelled");
}

/**
 * Names what a request asks for. Its tools, its instruction and how much it shows of the work (`duet-agent:brief`) may change while a
 * run waits: many programs write their system message anew for each request, or only for some of them.
 */
export function describeRequest(request: AnswerRequest): string {
  const { model, conversation, format, stop, temperature, topP, maxTokens, search } = request;
  const { question, files } = conversation;
  const { mode, isSide } = findModel(model) ?? {};
  return hashJson([mode, isSide, question, files.length, format, stop, temperature, topP, maxTokens, search]);
}

function describeResult({ callId, text, isError, images = [] }: ClientToolResult): unknown[] {
  return [callId, text, isError, images.map((bytes) => hash("sha256", bytes))];
}

function hashJson(value: unknown): string {
  return hash("sha256", JSON.stringify(value));
}
