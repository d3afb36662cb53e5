import type { PlanStep } from "../../../core/run/events.ts";
import type { Outcome } from "../../../core/run/outcome.ts";
import { reduceRun } from "../../../core/run/reduce-run.ts";
import { type CallEntry, createRunState, type RunItem, type ThoughtEntry } from "../../../core/run/run-state.ts";
import { findResultNumber } from "../../../core/store/conversations/move-numbers.ts";
import { createRecordFinder } from "../../../core/tools/call-records.ts";
import { toSafeJson } from "../../../kit/text/sanitize.ts";
import { takeStart } from "../../../kit/text/truncate.ts";
import { planSigns, toPurpose } from "../../../render/plan-lines.ts";
import type { Step, StepLog } from "./step.ts";

const mostSteps = 500;

/** Limits the text of all steps together, in UTF-16 units. */
const mostText = 16 * 1024 * 1024;

export interface StepLogOptions {
  /** Returns milliseconds. Only differences count. */
  now?: () => number;
}

/**
 * Creates a log of at most 500 steps, with at most 256 Ki UTF-16 units of text each and 16 Mi in all. One model turn that
 * thinks is one step, even when its reasoning and what it says beside its calls arrive separately.
 */
export function createStepLog({ now = () => performance.now() }: StepLogOptions = {}): StepLog {
  const steps: OpenStep[] = [];
  let last = 0;
  let run = 0;
  let state = createRunState(limits);
  let thought: OpenStep | undefined;
  let plan: OpenStep | undefined;
  const calls = new Map<CallEntry, OpenStep>();
  const callsById = new Map<string, OpenStep>();

  function open(
    kind: Step["kind"],
    name: string,
    more: Pick<OpenStepOptions, "input" | "thought" | "tookMs"> = {},
  ): OpenStep {
    last += 1;
    const step = openStep({ number: last, kind, name, run, startedAt: now(), now, ...more });
    steps.push(step);
    forget();
    return step;
  }

  function forget(): void {
    let size = steps.reduce((sum, step) => sum + step.size, 0);
    while (steps.length > mostSteps || (size > mostText && steps.length > 1)) {
      const oldest = steps.shift();
      size -= oldest?.size ?? 0;
      oldest?.replace("");
    }
  }

  function beginRun(): void {
    endRun("failed");
    dropState();
    run += 1;
    callsById.clear();
    thought = undefined;
    plan = undefined;
  }

  /** Drops what the steps do not show of the run, such as whole arguments. */
  function dropState(): void {
    for (const { entries } of state.turns) entries.length = 0;
    calls.clear();
    state = createRunState(limits);
  }

  function showThought(entry: ThoughtEntry): void {
    if (entry.hasWords && thought?.entry !== entry)
      thought = open("thought", entry.turn.start?.model ?? "", { thought: entry });
  }

  function showCall(entry: CallEntry): void {
    const { start, end } = entry;
    const known = calls.get(entry);
    if (known === undefined) {
      // Arguments that could not be read are the model's own text.
      const { tool, arguments: args } = start;
      const step = open("tool", tool, { input: typeof args === "string" ? args : toSafeJson(args, 2) });
      calls.set(entry, step);
      callsById.set(start.callId, step);
    } else if (end !== undefined) {
      known.replace(end.ok ? end.preview : (end.error?.message ?? end.preview));
      known.mark(end.ok ? "done" : "failed");
    }
  }

  function showPlan(planned: readonly PlanStep[]): void {
    if (planned.length === 0) return;
    plan ??= open("plan", "");
    plan.replace(planned.map(planLine).join("\n"));
    plan.mark(toPlanState(planned));
  }

  /** Closes every step that is still running. */
  function endRun(ending: "done" | "failed"): void {
    for (const step of [...calls.values(), thought, plan])
      if (step?.state === "running") step.mark(step.kind === "tool" ? "failed" : ending);
  }

  function keepWhole(outcome: Outcome): void {
    endRun(outcome.success ? "done" : "failed");
    const recordOf = createRecordFinder(outcome.tool_calls);
    for (const [{ start }, step] of calls) {
      const result = recordOf(start.tool, start.arguments)?.result;
      if (result) step.replace(result);
    }
    dropState();
    forget();
  }

  function show(item: RunItem | undefined): void {
    if (item?.kind === "thought") showThought(item);
    else if (item?.kind === "call") showCall(item);
    else if (item?.kind === "plan") showPlan(item.steps);
    else if (item?.kind === "run" && item.outcome !== undefined) keepWhole(item.outcome);
  }

  return {
    handle(event) {
      if (event.type === "run-start") beginRun();
      show(reduceRun(state, event, now()));
    },
    restore({ steps: recorded, phases }) {
      beginRun();
      for (const { thought = "", phase = 0, action, elapsed_ms, observation, tool_output, error } of recorded) {
        const { model = "", elapsed_ms: thoughtMs = 0 } = phases[phase - 1] ?? {};
        // The model of the last step is the one that wrote the answer, which need not be the one that thought before it.
        const thinker = action?.type === "final" ? "" : model;
        if (thought.trim() !== "") open("thought", thinker, { tookMs: thoughtMs }).finish(thought, "done");
        if (action?.type !== "action") continue;
        const { tool, args } = action;
        const input = typeof args === "string" ? args : toSafeJson(args, 2);
        const state = error === undefined ? "done" : "failed";
        // What the model was given leads to the whole of a long result.
        const isLong = findResultNumber(observation) !== undefined;
        const result = isLong ? observation : (tool_output ?? observation);
        open("tool", tool, { input, tookMs: elapsed_ms }).finish(result, state);
      }
      return this.listRunSteps();
    },
    find: (number) => steps.find((step) => step.number === number),
    listRunSteps: () => steps.filter((step) => step.run === run),
    findByCall: (callId) => callsById.get(callId),
    findThought: () => thought,
    findPlan: () => plan,
  };
}

/** Renders a plan step without any words to translate. */
function planLine(step: PlanStep): string {
  const call = step.tool === "" ? "" : ` · ${step.tool} ${toSafeJson(step.parameters)}`;
  return `${planSigns[step.state]} ${step.step}. ${toPurpose(step)}${call}`;
}

function toPlanState(planned: readonly PlanStep[]): Step["state"] {
  if (planned.some(({ state }) => state === "pending" || state === "running")) return "running";
  return planned.some(({ state }) => state === "failed") ? "failed" : "done";
}

/** Limits a step's input and its text separately, in UTF-16 units. */
const longestText = 256 * 1024;

const limits = { longestThought: longestText, mostNotes: 0 };

interface OpenStepOptions extends Pick<Step, "number" | "kind" | "name"> {
  input?: string;
  run: number;
  /** Holds the start time in milliseconds, as given by the clock `now`. */
  startedAt: number;
  now(): number;
  /** Holds the thought that the step shows, with times of the clock `now`. */
  thought?: ThoughtEntry;
  /** Is the time of a step that has ended before. */
  tookMs?: number;
}

/** A step can still be changed by the log that records it. */
interface OpenStep extends Step {
  readonly run: number;
  readonly entry: ThoughtEntry | undefined;
  /** Counts the UTF-16 units that the step holds. */
  readonly size: number;
  replace(text: string): void;
  mark(state: Step["state"]): void;
  /** Does both. */
  finish(text: string, state: Step["state"]): void;
}

/** Opens a step that shows a thought, or the beginning of the text that was written into it last. */
function openStep({ number, kind, name, run, input = "", startedAt, now, thought, tookMs }: OpenStepOptions): OpenStep {
  const kept = takeStart(input, longestText);
  const missingInput = input.length - kept.length;
  let text = "";
  let missing = 0;
  let marked: Step["state"] = "running";
  let markedAt: number | undefined;

  function replace(whole: string): void {
    if (thought !== undefined) thought.parts.length = 0;
    text = takeStart(whole, longestText);
    missing = whole.length - text.length;
  }

  function mark(next: Step["state"]): void {
    marked = next;
    markedAt = next === "running" ? undefined : now();
  }

  return {
    ...{ number, kind, name, run, entry: thought, input: kept },
    get text() {
      return thought === undefined ? text : joinParts(thought);
    },
    get missing() {
      return missingInput + missing + (thought?.leftOut ?? 0) || undefined;
    },
    get state() {
      if (thought?.endedAt === undefined) return marked;
      return thought.isFailed ? "failed" : "done";
    },
    get elapsedMs() {
      return tookMs ?? (thought?.endedAt ?? markedAt ?? now()) - (thought?.startedAt ?? startedAt);
    },
    get size() {
      return kept.length + text.length + (thought?.size ?? 0);
    },
    replace,
    mark,
    finish(whole, state) {
      replace(whole);
      mark(state);
    },
  };
}

/** Leaves out the blank pieces before the first word. Reasoning and what is said beside calls are paragraphs. */
function joinParts({ parts }: ThoughtEntry): string {
  let text = "";
  for (const part of parts) {
    const words = part.text.slice(part.blank);
    if (words !== "") text += text === "" ? words : `\n\n${words}`;
  }
  return text;
}
