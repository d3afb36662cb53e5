import type { AgentEvent, PhaseEnd, PlanStep, ToolEnd } from "../../core/events.ts";
import { addUsage, noUsage, type Usage } from "../../core/model.ts";
import type { Outcome } from "../../core/outcome.ts";
import { createRecordFinder } from "../../core/tools/call-records.ts";
import type { AgentTrace, TokenUsage, ToolStats, TraceNote, TracePhase, TraceStep } from "../../core/trace.ts";
import { takeStart, truncate } from "../../kit/text/sanitize.ts";

/** Makes a run's trace from its events. */
export interface TraceRecorder {
  handle(event: AgentEvent): void;
  /** Keeps what a tool gave for a call that has not ended yet. */
  keepOutput(callId: string, output: string): void;
  finish(outcome: Outcome): AgentTrace;
}

/** Limits what a trace keeps of a thought, and of a result, in characters. */
const longestText = 20_000;

/** Limits what a trace keeps of the output of one tool, and of all tools of a run, in characters. */
const longestOutput = 256 * 1024;
const mostOutput = 1024 * 1024;

export function createTraceRecorder({ question }: { question: string }): TraceRecorder {
  const startedAt = now();
  const steps: TraceStep[] = [];
  /** Holds the calls that have started and not ended. */
  const running = new Map<string, TraceStep>();
  const usedTools = new Map<string, ToolStats>();
  const phases: TracePhase[] = [];
  const notes = createTraceNotes();
  /** Collects the thoughts since the last step. */
  const thought = createTextAccumulator(longestText);
  /** Counts the model turns that have begun. */
  let begun = 0;
  let plan: PlanStep[] | undefined;
  let usage = noUsage;
  let outputLeft = mostOutput;
  let phaseStartedAt = startedAt;

  function addStep(step: Pick<TraceStep, "action" | "elapsed_ms" | "timestamp" | "error">): TraceStep {
    const { text, leftOut } = thought.take();
    const added: TraceStep = {
      step: steps.length + 1,
      phase: begun,
      thought: text || undefined,
      thought_left_out: leftOut || undefined,
      observation: "",
      ...step,
    };
    steps.push(added);
    return added;
  }

  function startCall(event: Extract<AgentEvent, { type: "tool-start" }>): void {
    const action = { type: "action" as const, tool: event.tool, args: event.arguments };
    running.set(event.callId, addStep({ action, elapsed_ms: 0, timestamp: now() }));
  }

  function endCall({ callId, tool, cached, elapsedMs, permission, error }: ToolEnd): void {
    const step = running.get(callId);
    if (step === undefined) return;
    running.delete(callId);
    step.elapsed_ms = elapsedMs;
    step.cached = cached;
    step.permission = permission;
    step.error = error && toBoundedText(error.message, longestText).text;
    if (error?.code === "unknown_tool") return;
    const { count, total_ms } = usedTools.get(tool) ?? { count: 0, total_ms: 0 };
    usedTools.set(tool, { count: count + 1, total_ms: total_ms + elapsedMs });
  }

  function end(outcome: Outcome): void {
    const find = createRecordFinder(outcome.tool_calls);
    for (const step of steps) {
      if (step.action === null) continue;
      const { text, leftOut } = toBoundedText(find(step.action.tool, step.action.args)?.result ?? "", longestText);
      step.observation = text;
      step.observation_left_out = leftOut || undefined;
    }
    addStep({
      action: outcome.response === "" ? null : { type: "final", tool: "", args: {} },
      elapsed_ms: phases.at(-1)?.elapsed_ms ?? 0,
      timestamp: phaseStartedAt,
      error: outcome.error?.message,
    });
  }

  function keepOutput(callId: string, output: string): void {
    const step = running.get(callId);
    if (step === undefined) return;
    const { text, leftOut } = toBoundedText(output, Math.min(longestOutput, outputLeft));
    outputLeft -= text.length;
    step.tool_output = text;
    step.tool_output_left_out = leftOut || undefined;
  }

  return {
    keepOutput,
    handle(event) {
      switch (event.type) {
        case "reasoning-delta":
        case "thought-delta":
          return thought.push(event.type, event.text);
        case "phase-start":
          phaseStartedAt = now();
          begun += 1;
          return;
        case "phase-end":
          usage = addUsage(usage, event.usage);
          return void phases.push(toTracePhase(event));
        case "tool-start":
          return startCall(event);
        case "tool-end":
          return endCall(event);
        case "plan":
          plan = event.steps;
          return;
        case "evaluation":
          return notes.add({ level: "info", code: event.reason, message: event.message, phase: begun });
        case "notice":
          return notes.add({ level: event.level, code: event.code, message: event.message, phase: begun });
        default:
          return;
      }
    },
    finish(outcome) {
      end(outcome);
      return {
        run_id: outcome.run_id,
        conversation_id: outcome.conversation_id,
        trace_id: outcome.trace_id,
        question,
        mode: outcome.meta.mode,
        started_at: startedAt,
        status: outcome.status,
        plan,
        steps,
        final_answer: outcome.response,
        finish_reason: outcome.stop_reason,
        used_tools: Object.fromEntries(usedTools),
        token_usage: toTokenUsage(usage),
        total_ms: outcome.meta.latency_ms,
        phases,
        models: outcome.meta.models,
        cost_usd: outcome.meta.cost_usd,
        agents: outcome.meta.agents,
        notes: notes.list,
        error: outcome.error,
      };
    },
  };
}

function now(): string {
  return new Date().toISOString();
}

export function toTracePhase({ phase, step, model, usage, elapsedMs, costUsd }: PhaseEnd): TracePhase {
  const { total_tokens: _, ...tokens } = toTokenUsage(usage);
  return { phase, step, model, ...tokens, elapsed_ms: elapsedMs, cost_usd: costUsd };
}

function toTokenUsage(usage: Usage): TokenUsage {
  return {
    input_tokens: usage.inputTokens,
    output_tokens: usage.outputTokens,
    reasoning_tokens: usage.reasoningTokens,
    cached_tokens: usage.cachedTokens,
    total_tokens: usage.inputTokens + usage.outputTokens,
  };
}

const longestNote = 2000;
const mostNotes = 200;

/** Collects what the reader of a run was shown besides the answer, as far as a trace keeps it. */
export interface TraceNotes {
  /** Adds a note, unless the one before it has the same words: a limit is reported as a verdict and as a notice. */
  add(note: Omit<TraceNote, "timestamp">): void;
  readonly list: TraceNote[];
}

export function createTraceNotes(): TraceNotes {
  const list: TraceNote[] = [];
  return {
    list,
    add({ level, code, phase, message: words }) {
      const message = truncate(words, longestNote);
      const last = list.at(-1);
      if (last?.code === code && last.message === message) last.level = level;
      else if (list.length < mostNotes) list.push({ timestamp: new Date().toISOString(), phase, level, code, message });
    },
  };
}

/** Holds a text and how many characters were cut at its end. */
export interface BoundedText {
  text: string;
  leftOut: number;
}

function toBoundedText(text: string, longest: number): BoundedText {
  const kept = takeStart(text, longest);
  return { text: kept, leftOut: text.length - kept.length };
}

/** Collects a model's thoughts as they grow. Beyond `longest` characters only the length is kept. */
export interface TextAccumulator {
  /** Adds a piece of text. A piece of another kind begins a new line. */
  push(kind: string, piece: string): void;
  /** Gives the text so far and begins anew. */
  take(): BoundedText;
}

export function createTextAccumulator(longest: number): TextAccumulator {
  let text = "";
  let leftOut = 0;
  let last = "";
  return {
    push(kind, piece) {
      if (text.length >= longest) leftOut += piece.length;
      else text += text !== "" && kind !== last ? `\n${piece}` : piece;
      last = kind;
    },
    take() {
      const kept = toBoundedText(text, longest);
      const all = { text: kept.text.trim(), leftOut: kept.leftOut + leftOut };
      text = "";
      leftOut = 0;
      return all;
    },
  };
}
