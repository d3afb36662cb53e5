import type { PhaseEnd, ToolEnd } from "../../../core/run/events.ts";
import type { Citation, ModelBill, ModelUsage, Outcome, Status, ToolCallRecord } from "../../../core/run/outcome.ts";
import type {
  CallEntry,
  NoticeEntry,
  RunState,
  ThoughtPart,
  TurnEntry,
  TurnState,
} from "../../../core/run/run-state.ts";
import { renderProgress } from "../../../render/event-lines.ts";
import type { PageRunState, StoredSteps } from "./page-run-state.ts";
import type {
  CallEnd,
  CallItem,
  Confirmation,
  NoticeItem,
  PhaseBill,
  RunView,
  StepEnd,
  StepItem,
  StepView,
} from "./run-view.ts";

/** Builds the view of a run from its state. The outcome, once there is one, takes precedence over the events. */
export function toView(state: PageRunState): RunView {
  const { question, runId, current: told, outcome, plain, confirmation } = state;
  const { notices, plan, steps } = state.storedSteps ?? toCurrentSteps(told);
  const text = plain?.isFailed === true ? "" : plain?.text;
  const failure = plain?.isFailed === true ? { message: plain.text, hint: null } : undefined;
  const sources = outcome?.citations ?? [...state.cited, ...told.answer.citations];
  return {
    question,
    runId,
    status: toStatus(state),
    stopReason: outcome?.stop_reason,
    limit: outcome?.limit,
    notices: addOutcomeNotices(notices, state),
    plan,
    steps: addResults(steps, outcome),
    answer: removeReferences(outcome?.response ?? (text || told.answer.text), sources),
    sources,
    bill: toPhaseBills(steps, outcome),
    agents: outcome?.meta.agents,
    confirmation: outcome === undefined ? confirmation : toConfirmation(outcome),
    problem: outcome?.error ?? failure ?? state.problem,
  };
}

/** Shares one list, so that the page sees that it has not changed. */
const emptyPlan: RunView["plan"] = [];

function toCurrentSteps(told: PageRunState["current"]): StoredSteps {
  return { notices: toEarlyNotices(told), plan: told.plan?.steps ?? emptyPlan, steps: toSteps(told) };
}

function toStatus({ outcome, plain, confirmation, runId }: PageRunState): Status | "waiting" | "ended" {
  if (outcome !== undefined) return outcome.status;
  if (plain !== undefined) return plain.status ?? (plain.isFailed ? "failed" : "ended");
  if (confirmation !== undefined) return "needs_confirmation";
  return runId === undefined ? "waiting" : "running";
}

/** Adds the notices of the outcome, which may have come after the last step, to those that came before the first. */
function addOutcomeNotices(early: readonly NoticeItem[], { outcome, current }: PageRunState): readonly NoticeItem[] {
  const known = [...early, ...current.earlyNotices.map(({ event }) => event)];
  const isNew = (late: { message: string }): boolean => known.every(({ message }) => message !== late.message);
  const late = outcome?.notices?.filter(isNew).map((notice): NoticeItem => ({ ...notice, kind: "notice" }));
  return late?.length ? [...early, ...late] : early;
}

const headings = ["\n\n参考文献\n\n", "\n\nReferences\n\n"];

/** Removes the list of sources at the end of an answer. Hosts that show only text need it, but a page has its own. */
function removeReferences(answer: string, sources: readonly Citation[]): string {
  const start = sources.length === 0 ? -1 : Math.max(...headings.map((heading) => answer.lastIndexOf(heading)));
  if (start < 0) return answer;
  const entries = answer.slice(start).trim().split("\n").slice(2);
  const isList = entries.every((entry) => /^- \[\d+\] /.test(entry));
  const isWhole = sources.every(({ n }) => entries.some((entry) => entry.startsWith(`- [${n}] `)));
  return isList && isWhole ? answer.slice(0, start) : answer;
}

/** Returns what an outcome waits for, which is a plan unless the outcome states otherwise. */
function toConfirmation({ status, confirmation }: Outcome): Confirmation | undefined {
  if (status !== "needs_confirmation") return undefined;
  const { kind = "plan", tool = "", arguments: args } = confirmation ?? {};
  return { kind, tool, arguments: args, message: "" };
}

/** Replaces the shortened results in the steps with the whole ones. */
function addResults(steps: readonly StepView[], outcome: Outcome | undefined): readonly StepView[] {
  if (outcome === undefined) return steps;
  const left = [...outcome.tool_calls];
  const hasCalls = steps.some(({ items }) => items.some(({ kind }) => kind === "call"));
  if (!hasCalls && left.length > 0) return [...steps, { ...emptyStep, items: left.map(toRecordedCall) }];
  return steps.map((step) => ({
    ...step,
    items: step.items.map((item) => (item.kind === "call" ? addResult(item, left) : item)),
  }));
}

/** Takes the call's record off those that are left. */
function addResult(call: CallItem, left: ToolCallRecord[]): CallItem {
  if (call.end === undefined) return call;
  const json = JSON.stringify(call.arguments);
  const at = left.findIndex((record) => record.tool === call.tool && JSON.stringify(record.arguments) === json);
  const [record] = at < 0 ? [] : left.splice(at, 1);
  return record === undefined ? call : { ...call, end: { ...call.end, result: record.result } };
}

function toRecordedCall(record: ToolCallRecord, index: number): CallItem {
  const { tool, result, ok, cached, elapsed_ms } = record;
  const end = { isOk: ok, isCached: cached, result, elapsedMs: elapsed_ms, resultCount: undefined, top: [] };
  return { kind: "call", callId: `call-${index}`, tool, arguments: record.arguments, progress: "", end };
}

/**
 * Returns what each phase used: from the outcome if there is one, else as the sum of its turns. Where one model did both, only the
 * turns tell the phases apart.
 */
export function toPhaseBills(steps: readonly StepView[], outcome: Outcome | undefined): readonly PhaseBill[] {
  const isSplit = outcome?.meta.models.answer.calls === 0 && steps.some(({ phase }) => phase === "answer");
  if (outcome === undefined || isSplit) return phases.flatMap((phase) => sumTurns(steps, phase));
  const { function_call, answer, compact } = outcome.meta.models;
  const toBills = (phase: PhaseBill["phase"], bill: ModelBill | undefined): PhaseBill[] =>
    (bill?.by_model ?? (bill ? [bill] : [])).map((one) => toBill(phase, one));
  const all = [...toBills("compact", compact), ...toBills("decide", function_call), ...toBills("answer", answer)];
  return all.filter(({ calls }) => calls > 0);
}

const phases = ["compact", "decide", "answer"] as const;

function sumTurns(steps: readonly StepView[], phase: PhaseBill["phase"]): PhaseBill[] {
  const own = steps.filter(
    (step) => step.end !== undefined && (step.phase === "plan" ? "decide" : step.phase) === phase,
  );
  const ends = own.flatMap(({ end }) => end ?? []);
  if (ends.length === 0) return [];
  const sum = (value: (end: (typeof ends)[number]) => number): number => ends.reduce((all, end) => all + value(end), 0);
  const isKnown = ends.every(({ costUsd }) => costUsd !== null);
  return [
    {
      phase,
      model: own.at(-1)?.model ?? "",
      calls: ends.length,
      inputTokens: sum(({ inputTokens }) => inputTokens),
      outputTokens: sum(({ outputTokens }) => outputTokens),
      elapsedMs: sum(({ elapsedMs }) => elapsedMs),
      costUsd: isKnown ? sum(({ costUsd }) => costUsd ?? 0) : null,
    },
  ];
}

function toBill(phase: PhaseBill["phase"], bill: ModelUsage): PhaseBill {
  return {
    phase,
    model: `${bill.provider}/${bill.model}`,
    calls: bill.calls,
    inputTokens: bill.input_tokens,
    outputTokens: bill.output_tokens,
    elapsedMs: bill.elapsed_ms,
    costUsd: bill.cost_usd,
  };
}

export const emptyStep: StepView = {
  phase: undefined,
  step: 0,
  model: "",
  reason: "",
  reasoning: "",
  thought: "",
  hasWritten: false,
  items: [],
  end: undefined,
};

/** Keeps the view of each turn until the turn changes, so that the page need not show it again. */
const views = new WeakMap<TurnState, { version: number; view: StepView }>();

/** Returns a step for each turn of a model, with all that followed from it. */
export function toSteps({ turns, draft }: RunState): readonly StepView[] {
  return turns.map((turn) => {
    const known = views.get(turn);
    if (known?.version === turn.version) return known.view;
    const view = toStep(turn, draft?.turn === turn ? draft.text : "");
    views.set(turn, { version: turn.version, view });
    return view;
  });
}

/** Returns the notices that came before the first step. */
export function toEarlyNotices({ earlyNotices }: RunState): readonly NoticeItem[] {
  return earlyNotices.flatMap(toNotice);
}

/** A draft stands with the thoughts, which is where it goes unless it becomes the answer. */
function toStep({ start, entries, end, hasAnswered }: TurnState, draft: string): StepView {
  const { step = 0, model = "", reason = "" } = start ?? {};
  // A turn that writes the answer no longer decides.
  const isAnswer = hasAnswered && entries.every(({ kind }) => kind !== "call");
  const phase = isAnswer ? "answer" : start?.phase;
  return {
    ...{ phase, step, model, reason },
    reasoning: joinParts(entries, "reasoning"),
    thought: joinParts(entries, "thought") + draft,
    hasWritten: hasAnswered,
    items: entries.flatMap(toItem),
    end: end && toEnd(end),
  };
}

function joinParts(entries: readonly TurnEntry[], kind: ThoughtPart["kind"]): string {
  const parts = entries.flatMap((entry) => (entry.kind === "thought" ? entry.parts : []));
  return parts.map((part) => (part.kind === kind ? part.text : "")).join("");
}

function toItem(entry: TurnEntry): readonly StepItem[] {
  switch (entry.kind) {
    case "thought":
      return [];
    case "call":
      return [toCall(entry)];
    case "evaluation":
      return [{ kind: "evaluation", message: entry.event.message }];
    case "notice":
      return toNotice(entry);
  }
}

/** Leaves out the notices for logs. */
function toNotice({ event: { level, message, forLog } }: NoticeEntry): readonly NoticeItem[] {
  return forLog ? [] : [{ kind: "notice", level, message }];
}

function toCall({ start: { callId, tool, arguments: args }, progress, steps, end }: CallEntry): StepItem {
  const now = progress === undefined || progress.isStep ? "" : renderProgress(progress);
  const told = steps && { progress: [...steps, end ? "" : now].filter(Boolean).join("\n"), hasSteps: true };
  return { kind: "call", callId, tool, arguments: args, progress: now, ...told, end: end && toCallEnd(end) };
}

function toEnd({ elapsedMs, usage, costUsd, error }: PhaseEnd): StepEnd {
  const { inputTokens, outputTokens } = usage;
  return { elapsedMs, inputTokens, outputTokens, costUsd, isFailed: error !== undefined && error !== "cancelled" };
}

function toCallEnd({ ok, cached, preview, elapsedMs, resultCount, top, error }: ToolEnd): CallEnd {
  return {
    isOk: ok,
    isCached: cached,
    result: ok ? preview : (error?.message ?? preview),
    elapsedMs,
    resultCount,
    top: top ?? [],
  };
}
