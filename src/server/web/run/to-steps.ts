import type { PhaseEnd, ToolEnd } from "../../../core/events.ts";
import type { CallEntry, NoticeEntry, RunState, ThoughtPart, TurnEntry, TurnState } from "../../../core/run-state.ts";
import { renderProgress } from "../../../render/event-lines.ts";
import type { CallEnd, NoticeItem, StepEnd, StepItem, StepView } from "./run-view.ts";

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
export function toSteps({ turns }: RunState): readonly StepView[] {
  return turns.map((turn) => {
    const known = views.get(turn);
    if (known?.version === turn.version) return known.view;
    const view = toStep(turn);
    views.set(turn, { version: turn.version, view });
    return view;
  });
}

/** Returns the notices that came before the first step. */
export function toEarlyNotices({ earlyNotices }: RunState): readonly NoticeItem[] {
  return earlyNotices.flatMap(toNotice);
}

function toStep({ start, entries, end, hasAnswered }: TurnState): StepView {
  const { phase, step = 0, model = "", reason = "" } = start ?? {};
  return {
    ...{ phase, step, model, reason },
    reasoning: joinParts(entries, "reasoning"),
    thought: joinParts(entries, "thought"),
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

function toCall({ start: { callId, tool, arguments: args }, progress, end }: CallEntry): StepItem {
  const shown = progress === undefined ? "" : renderProgress(progress);
  return { kind: "call", callId, tool, arguments: args, progress: shown, end: end && toCallEnd(end) };
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
