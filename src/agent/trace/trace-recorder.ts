import type { Usage } from "../../core/model/model.ts";
import type { AgentEvent, PhaseEnd } from "../../core/run/events.ts";
import type { Outcome } from "../../core/run/outcome.ts";
import { reduceRun } from "../../core/run/reduce-run.ts";
import {
  type CallEntry,
  createRunState,
  type EvaluationEntry,
  type NoticeEntry,
  type RunState,
  type ThoughtEntry,
} from "../../core/run/run-state.ts";
import type { AgentTrace, TokenUsage, ToolStats, TraceNote, TracePhase, TraceStep } from "../../core/run/trace.ts";
import { createRecordFinder } from "../../core/tools/call-records.ts";
import { takeStart, truncate } from "../../kit/text/truncate.ts";

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

const longestNote = 2000;
const mostNotes = 200;

export interface TraceRecorderOptions {
  question: string;
  /** Is when the run began, in milliseconds since 1970: now, when it is absent. */
  startedAt?: number | undefined;
  /** Is the ID of the run with which this one goes on, where the answer is that of both. */
  goesOnWith?: string | undefined;
}

export function createTraceRecorder({
  question,
  startedAt = Date.now(),
  goesOnWith,
}: TraceRecorderOptions): TraceRecorder {
  // Two notes with the same words become one.
  const state = createRunState({ longestThought: longestText, mostNotes: 2 * mostNotes });
  const outputs = new Map<CallEntry, BoundedText>();
  let outputLeft = mostOutput;

  return {
    keepOutput(callId, output) {
      const call = state.callsById.get(callId);
      if (call === undefined || call.end !== undefined) return;
      const kept = toBoundedText(output, Math.min(longestOutput, outputLeft));
      outputLeft -= kept.text.length;
      outputs.set(call, kept);
    },
    handle: (event) => void reduceRun(state, event, Date.now()),
    finish(outcome) {
      return {
        run_id: outcome.run_id,
        conversation_id: outcome.conversation_id,
        goes_on_with: goesOnWith,
        trace_id: outcome.trace_id,
        question,
        mode: outcome.meta.mode,
        started_at: toTime(startedAt),
        status: outcome.status,
        plan: state.plan?.steps,
        steps: toTraceSteps(state, { outcome, outputs, startedAt }),
        final_answer: outcome.response,
        citations: outcome.citations.length > 0 ? outcome.citations : undefined,
        output: outcome.output,
        finish_reason: outcome.stop_reason,
        limit: outcome.limit,
        iterations: outcome.meta.iterations,
        used_tools: toToolStats(state),
        token_usage: toTokenUsage(state.usage),
        total_ms: outcome.meta.latency_ms,
        phases: toTracePhases(state),
        models: outcome.meta.models,
        cost_usd: outcome.meta.cost_usd,
        agents: outcome.meta.agents,
        notes: toTraceNotes(state),
        error: outcome.error,
      };
    },
  };
}

interface StepFacts {
  outcome: Outcome;
  outputs: ReadonlyMap<CallEntry, BoundedText>;
  startedAt: number;
}

/** Returns a step for each call, with the thoughts before it, and a last one for the answer. */
function toTraceSteps(state: RunState, { outcome, outputs, startedAt }: StepFacts): TraceStep[] {
  const findRecord = createRecordFinder(outcome.tool_calls);
  const steps: TraceStep[] = [];
  let thoughts: ThoughtEntry[] = [];

  function addStep(step: Omit<TraceStep, "step" | "thought" | "thought_left_out">): void {
    const { text, leftOut } = joinThoughts(thoughts);
    thoughts = [];
    steps.push({ step: steps.length + 1, thought: text || undefined, thought_left_out: leftOut || undefined, ...step });
  }

  for (const entry of state.turns.flatMap(({ entries }) => entries))
    if (entry.kind === "thought") thoughts.push(entry);
    else if (entry.kind === "call") {
      const { tool, arguments: args } = entry.start;
      const observation = toBoundedText(findRecord(tool, args)?.result ?? "", longestText);
      const output = outputs.get(entry);
      addStep({
        phase: entry.turnNumber,
        action: { type: "action", tool, args },
        observation: observation.text,
        observation_left_out: observation.leftOut || undefined,
        elapsed_ms: entry.end?.elapsedMs ?? 0,
        timestamp: toTime(entry.startedAt),
        error: entry.end?.error && toBoundedText(entry.end.error.message, longestText).text,
        ...(output && { tool_output: output.text, tool_output_left_out: output.leftOut || undefined }),
        ...(entry.steps && { agent_steps: entry.steps }),
        ...(entry.end && { cached: entry.end.cached, permission: entry.end.permission }),
      });
    }
  addStep({
    phase: state.turnCount,
    observation: "",
    action: outcome.response === "" ? null : { type: "final", tool: "", args: {} },
    elapsed_ms: state.phaseEnds.at(-1)?.elapsedMs ?? 0,
    timestamp: toTime(state.turns.findLast(({ start }) => start !== undefined)?.startedAt ?? startedAt),
    error: outcome.error?.message,
  });
  return steps;
}

/** Joins thoughts to one text, in which reasoning and what was said stand on lines of their own. */
function joinThoughts(thoughts: readonly ThoughtEntry[]): BoundedText {
  let text = "";
  let last = "";
  for (const part of thoughts.flatMap(({ parts }) => parts)) {
    text += text !== "" && part.kind !== last ? `\n${part.text}` : part.text;
    last = part.kind;
  }
  const kept = toBoundedText(text, longestText);
  return { text: kept.text.trim(), leftOut: thoughts.reduce((sum, { leftOut }) => sum + leftOut, kept.leftOut) };
}

/** Counts the tools that exist, in the order in which their first calls ended. */
function toToolStats({ endedCalls }: RunState): Record<string, ToolStats> {
  const stats = new Map<string, ToolStats>();
  for (const { start, end } of endedCalls) {
    if (end === undefined || end.error?.code === "unknown_tool") continue;
    const { count, total_ms } = stats.get(start.tool) ?? { count: 0, total_ms: 0 };
    stats.set(start.tool, { count: count + 1, total_ms: total_ms + end.elapsedMs });
  }
  return Object.fromEntries(stats);
}

/**
 * Returns what the reader of a run was shown besides the answer, as far as a trace keeps it. A note with the words of the one
 * before it is left out: a limit is reported as a verdict and as a notice.
 */
function toTraceNotes({ earlyNotices, turns }: RunState): TraceNote[] {
  const notes: TraceNote[] = [];
  for (const entry of [...earlyNotices, ...turns.flatMap(({ entries }) => entries)]) {
    if (entry.kind !== "notice" && entry.kind !== "evaluation") continue;
    const note = toTraceNote(entry);
    const last = notes.at(-1);
    if (last?.code === note.code && last.message === note.message) last.level = note.level;
    else if (notes.length < mostNotes) notes.push(note);
  }
  return notes;
}

function toTraceNote({ event, turnNumber, at }: NoticeEntry | EvaluationEntry): TraceNote {
  const [level, code] = event.type === "notice" ? [event.level, event.code] : (["info", event.reason] as const);
  return { timestamp: toTime(at), phase: turnNumber, level, code, message: truncate(event.message, longestNote) };
}

function toTime(ms: number): string {
  return new Date(ms).toISOString();
}

function toTracePhases({ phaseEnds, turns }: RunState): TracePhase[] {
  const begun = new Map(turns.map(({ end, startedAt }) => [end, startedAt]));
  return phaseEnds.map((end) => ({ ...toTracePhase(end), timestamp: toTime(begun.get(end) ?? 0) }));
}

function toTracePhase({ phase, step, model, usage, elapsedMs, costUsd, allowance, error }: PhaseEnd): TracePhase {
  const { total_tokens: _, ...tokens } = toTokenUsage(usage);
  const allowed = allowance === undefined ? {} : { reasoning_allowance: allowance };
  const failed = error === undefined ? {} : { failed: true };
  return { phase, step, model, ...tokens, ...allowed, elapsed_ms: elapsedMs, cost_usd: costUsd, ...failed };
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

/** Holds a text and how many characters were cut at its end. */
interface BoundedText {
  text: string;
  leftOut: number;
}

function toBoundedText(text: string, longest: number): BoundedText {
  const kept = takeStart(text, longest);
  return { text: kept, leftOut: text.length - kept.length };
}
