import type { AgentEvent, PlanStep, ToolEnd } from "../../../core/events.ts";
import type { Outcome } from "../../../core/outcome.ts";
import { createRecordFinder } from "../../../core/tools/call-records.ts";
import type { JsonValue } from "../../../kit/json.ts";
import { takeStart, toSafeJson } from "../../../kit/text/sanitize.ts";
import { planSigns, toPurpose } from "../../../render/plan-lines.ts";
import type { Step, StepLog } from "./step-words.ts";

const mostSteps = 500;

/** Limits the text of all steps together, in UTF-16 units. */
const mostText = 16 * 1024 * 1024;

export interface StepLogOptions {
  /** Returns milliseconds. Only differences count. */
  now?: () => number;
}

/**
 * Opens a book of at most 500 steps, with at most 256 Ki UTF-16 units of text each and 16 Mi in all. One model turn that thinks
 * is one step, also where its reasoning and what it says beside its calls come apart.
 */
export function createStepLog({ now = () => performance.now() }: StepLogOptions = {}): StepLog {
  const steps: OpenStep[] = [];
  let last = 0;
  let run = 0;
  let turn = { model: "", startedAt: 0, hasThought: false };
  let thought: OpenStep | undefined;
  /** Holds the kind of event that the current thought is built from. */
  let growing: "reasoning-delta" | "thought-delta" | undefined;
  let plan: OpenStep | undefined;
  const calls = new Map<string, { step: OpenStep; tool: string; args: JsonValue }>();

  function open(kind: Step["kind"], name: string, more: { input?: string; startedAt?: number } = {}): OpenStep {
    last += 1;
    const step = openStep({ number: last, kind, name, run, startedAt: now(), now, ...more });
    steps.push(step);
    forget();
    return step;
  }

  function forget(): void {
    let size = steps.reduce((sum, step) => sum + step.size, 0);
    while (steps.length > mostSteps || (size > mostText && steps.length > 1)) size -= steps.shift()?.size ?? 0;
  }

  function beginRun(): void {
    endRun("failed");
    run += 1;
    calls.clear();
    thought = undefined;
    plan = undefined;
    turn = { model: "", startedAt: now(), hasThought: false };
  }

  function beginTurn(model: string): void {
    endThought("done");
    turn = { model, startedAt: now(), hasThought: false };
  }

  function think(kind: "reasoning-delta" | "thought-delta", text: string): void {
    if (growing === undefined) {
      if (text.trim() === "") return;
      thought = open("thought", turn.model, { startedAt: turn.hasThought ? now() : turn.startedAt });
      turn.hasThought = true;
    } else if (growing !== kind) thought?.append("\n\n");
    growing = kind;
    thought?.append(text);
  }

  function endThought(state: "done" | "failed"): void {
    if (growing === undefined) return;
    growing = undefined;
    thought?.mark(state);
  }

  function beginCall({ callId, tool, arguments: args }: Extract<AgentEvent, { type: "tool-start" }>): void {
    endThought("done");
    // Arguments that could not be read are the model's own text.
    const input = typeof args === "string" ? args : toSafeJson(args, 2);
    calls.set(callId, { step: open("tool", tool, { input }), tool, args });
  }

  function endCall({ callId, ok, preview, error }: ToolEnd): void {
    const step = calls.get(callId)?.step;
    step?.replace(ok ? preview : (error?.message ?? preview));
    step?.mark(ok ? "done" : "failed");
  }

  function takePlan(planned: readonly PlanStep[]): void {
    if (planned.length === 0) return;
    plan ??= open("plan", "");
    plan.replace(planned.map(planLine).join("\n"));
    plan.mark(stateOf(planned));
  }

  /** Closes every step that is still running. */
  function endRun(state: "done" | "failed"): void {
    endThought(state);
    for (const step of [...[...calls.values()].map((call) => call.step), plan])
      if (step?.state === "running") step.mark(step.kind === "plan" ? state : "failed");
  }

  function keepWhole(outcome: Outcome): void {
    endRun(outcome.success ? "done" : "failed");
    const recordOf = createRecordFinder(outcome.tool_calls);
    for (const { step, tool, args } of calls.values()) {
      const result = recordOf(tool, args)?.result;
      if (result) step.replace(result);
    }
    for (const call of calls.values()) call.args = null;
    forget();
  }

  function take(event: AgentEvent): void {
    if (event.type === "run-start") beginRun();
    else if (event.type === "phase-start") beginTurn(event.model);
    else if (event.type === "reasoning-delta" || event.type === "thought-delta") think(event.type, event.text);
    else if (event.type === "answer-delta" && event.text.trim() !== "") endThought("done");
    else if (event.type === "phase-end") endThought(event.error === undefined ? "done" : "failed");
    else if (event.type === "tool-start") beginCall(event);
    else if (event.type === "tool-end") endCall(event);
    else if (event.type === "plan") takePlan(event.steps);
    else if (event.type === "run-end") keepWhole(event.outcome);
  }

  return {
    handle: take,
    find: (number) => steps.find((step) => step.number === number),
    ofRun: () => steps.filter((step) => step.run === run),
    ofCall: (callId) => calls.get(callId)?.step,
    thought: () => thought,
    plan: () => plan,
  };
}

/** Renders a plan step without any words to translate. */
function planLine(step: PlanStep): string {
  const call = step.tool === "" ? "" : ` · ${step.tool} ${toSafeJson(step.parameters)}`;
  return `${planSigns[step.state]} ${step.step}. ${toPurpose(step)}${call}`;
}

function stateOf(planned: readonly PlanStep[]): Step["state"] {
  if (planned.some(({ state }) => state === "pending" || state === "running")) return "running";
  return planned.some(({ state }) => state === "failed") ? "failed" : "done";
}

/** Limits a step's input and its text separately, in UTF-16 units. */
const longestText = 256 * 1024;

export interface OpenStepOptions extends Pick<Step, "number" | "kind" | "name"> {
  input?: string;
  run: number;
  /** Holds the start time in milliseconds, as given by the clock `now`. */
  startedAt: number;
  now(): number;
}

/** A step can still be changed by the log that records it. */
interface OpenStep extends Step {
  readonly run: number;
  /** Counts the UTF-16 units that the step holds. */
  readonly size: number;
  append(text: string): void;
  replace(text: string): void;
  mark(state: Step["state"]): void;
}

/** Opens a step that keeps the beginning of what is written into it, and counts the rest. */
export function openStep({ number, kind, name, run, input = "", startedAt, now }: OpenStepOptions): OpenStep {
  const kept = takeStart(input, longestText);
  const missingInput = input.length - kept.length;
  let text = "";
  let missing = 0;
  let state: Step["state"] = "running";
  let endedAt: number | undefined;

  function append(more: string): void {
    const head = missing > 0 ? "" : takeStart(more, longestText - text.length);
    text += head;
    missing += more.length - head.length;
  }

  return {
    number,
    kind,
    name,
    run,
    input: kept,
    get text() {
      return text;
    },
    get missing() {
      return missingInput + missing || undefined;
    },
    get state() {
      return state;
    },
    get elapsedMs() {
      return (endedAt ?? now()) - startedAt;
    },
    get size() {
      return kept.length + text.length;
    },
    append,
    replace(whole) {
      text = "";
      missing = 0;
      append(whole);
    },
    mark(next) {
      state = next;
      endedAt = next === "running" ? undefined : now();
    },
  };
}
