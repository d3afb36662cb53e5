import { type PlanReply, readPlanReply } from "../../core/questions/plan-reply.ts";
import type { PlanStep } from "../../core/run/events.ts";
import type { Conversation } from "../../core/store/conversations/conversation.ts";
import { isRecord, tryParseJson } from "../../kit/json.ts";
import type { Locale } from "../../kit/locale.ts";
import type { Observation } from "../loop/calls/observe-call.ts";
import { addDropped, type Plan, type PlannedStep, type StartedPlan } from "./plan.ts";
import { renderPendingPlan } from "./plan-texts.ts";

/** Holds a plan that waited for confirmation, and the reply to it. */
export interface ResumedPlan {
  /** Holds the question for which the plan was made. */
  question: string;
  begun: StartedPlan;
  reply: PlanReply;
}

/** Returns what a conversation keeps of a plan that waits for confirmation. Only `resumePlan` reads it. */
export function toPendingPlan(question: string, plan: Plan): string {
  const kept: StoredPlan = {
    version: 1,
    question,
    stepwise: plan.isStepwise,
    replaced: plan.replaced,
    repairs: plan.repairs,
    dropped: [...plan.dropped],
    isRefused: plan.isRefused,
    steps: [...plan.steps],
    results: [...plan.results],
    failures: [...plan.failures],
    remarks: [...plan.remarks],
    observations: [...plan.observations],
  };
  return JSON.stringify(kept);
}

/** Returns the plan that `words` reply to, or undefined when the stored plan is of another version. */
export function resumePlan(text: string, words: string): ResumedPlan | undefined {
  const kept = tryParseJson(text);
  const reply = readPlanReply(words);
  if (!isKept(kept) || reply === undefined) return undefined;
  const { question, steps, stepwise, observations, replaced, repairs } = kept;
  const { dropped = [], isRefused = false, failures = [], remarks = [] } = kept;
  return {
    question,
    reply,
    begun: {
      steps,
      stepwise,
      observations,
      replaced,
      repairs,
      dropped,
      isRefused,
      remarks,
      results: new Map(kept.results),
      failures: new Map(failures),
    },
  };
}

/** Is true when the words are only a yes or no to a waiting plan, and the plan was the last thing said. */
export function isBareReply(
  { pendingPlan, turns }: Pick<Conversation, "pendingPlan" | "turns">,
  words: string,
): boolean {
  const resumed = pendingPlan === undefined ? undefined : resumePlan(pendingPlan, words);
  if (resumed === undefined || resumed.reply.reply === "edit") return false;
  const last = turns.at(-1)?.answer;
  return locales.some(
    (locale) => renderPendingPlan(addDropped(resumed.begun.steps, resumed.begun.dropped), locale) === last,
  );
}

const locales: readonly Locale[] = ["zh", "en"];

interface StoredPlan {
  version: 1;
  question: string;
  stepwise: boolean;
  replaced: number;
  repairs: number;
  /** Are absent in a plan that an earlier version kept. */
  dropped?: PlannedStep[];
  isRefused?: boolean;
  failures?: [number, string][];
  remarks?: string[];
  steps: PlanStep[];
  results: [number, string][];
  observations: Observation[];
}

/** Looks at all that a run would stumble over: the text has been on a disk. */
function isKept(value: unknown): value is StoredPlan {
  return (
    isRecord(value) &&
    value.version === 1 &&
    typeof value.question === "string" &&
    typeof value.stepwise === "boolean" &&
    Number.isInteger(value.replaced) &&
    Number.isInteger(value.repairs) &&
    isListOf(value.steps, isStep) &&
    isListOf(value.dropped ?? [], isPlannedStep) &&
    typeof (value.isRefused ?? false) === "boolean" &&
    isListOf(value.results, isResult) &&
    isListOf(value.failures ?? [], isResult) &&
    isListOf(value.remarks ?? [], isText) &&
    isListOf(value.observations, isObservation)
  );
}

function isListOf(value: unknown, isItem: (item: unknown, index: number) => boolean): boolean {
  return Array.isArray(value) && value.every(isItem);
}

function isStep(value: unknown, index: number): boolean {
  if (!isRecord(value)) return false;
  const { step, description, tool, parameters, state } = value;
  const isKnown = state === "pending" || state === "done" || state === "failed" || state === "skipped";
  return step === index + 1 && isText(description) && isText(tool) && isRecord(parameters) && isKnown;
}

function isPlannedStep(value: unknown): boolean {
  return isRecord(value) && isText(value.description) && isText(value.tool) && isRecord(value.parameters);
}

function isResult(value: unknown): boolean {
  return Array.isArray(value) && value.length === 2 && Number.isInteger(value[0]) && isText(value[1]);
}

function isObservation(value: unknown): boolean {
  if (!isRecord(value) || !isRecord(value.call) || !isRecord(value.result)) return false;
  const { call, result, text, ran } = value;
  return (
    isText(call.name) && isText(call.argumentsText) && isText(result.text) && isText(text) && typeof ran === "boolean"
  );
}

function isText(value: unknown): boolean {
  return typeof value === "string";
}
