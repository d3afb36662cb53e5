import type { AgentEvent, PhaseEnd, ToolEnd } from "../../core/run/events.ts";
import type { Outcome } from "../../core/run/outcome.ts";
import { billNames } from "../../core/run/run-state.ts";
import { attribute, operation, toProviderName } from "./attribute-names.ts";
import { createBoundedLabel } from "./bounded-label.ts";
import type { Instruments } from "./instruments.ts";

/** Is an update of the metrics, applied at once or as soon as the packages are loaded. */
export type MetricUpdate = (instruments: Instruments) => void;

/** Limits how many tools and models are counted separately. Later ones are added up. */
const mostTools = 200;
const mostModels = 50;

/** Makes names of models and tools labels of limited number; it is shared by all runs of the process. */
export interface MetricLabels {
  tool(name: string): string;
  model(name: string): string;
}

export function createMetricLabels(): MetricLabels {
  return { tool: createBoundedLabel(mostTools), model: createBoundedLabel(mostModels) };
}

/** Measures one run by its events. Times are in milliseconds of one clock, whichever it is. */
export function createRunMeter(labels: MetricLabels, record: (update: MetricUpdate) => void) {
  let turn: Turn | undefined;
  let mode = "";

  function measureFirst(at: number): void {
    if (turn === undefined || turn.hasBegun) return;
    turn.hasBegun = true;
    const { phase, model } = turn;
    const elapsed = (at - turn.startedAt) / 1000;
    record(({ firstTokenSeconds, firstChunkSeconds }) => {
      firstTokenSeconds(elapsed, { phase, model });
      firstChunkSeconds(elapsed, toModelAttributes(model));
    });
  }

  return {
    handle(event: AgentEvent, at: number): void {
      switch (event.type) {
        case "run-start":
          mode = event.mode;
          return;
        case "phase-start":
          turn = { phase: event.phase, model: labels.model(event.model), startedAt: at, hasBegun: false };
          return;
        case "reasoning-delta":
        case "draft-delta":
        case "thought-delta":
        case "answer-delta":
          measureFirst(at);
          return;
        case "phase-end":
          turn = undefined;
          record(countPhase(event, labels.model(event.model)));
          return;
        case "tool-end":
          record(countCall(event, toToolLabel(event, labels)));
          return;
        case "run-end":
          record(countRun(event.outcome, mode));
          return;
        default:
          return;
      }
    },
  };
}

interface Turn {
  phase: string;
  model: string;
  startedAt: number;
  hasBegun: boolean;
}

/** Counts a run that has ended. */
export function countRun({ status, error, meta }: Outcome, mode: string = meta.mode): MetricUpdate {
  // An update may wait for long, and must not keep the run.
  const elapsed = meta.latency_ms / 1000;
  const code = error?.code;
  return ({ runs, runSeconds, agentSeconds, errors }) => {
    runs(1, { mode, status });
    runSeconds(elapsed, { mode });
    agentSeconds(elapsed, { [attribute.agentName]: "duet", [attribute.errorType]: code });
    if (code !== undefined) errors(1, { source: "run", code });
  };
}

/** `name` is the model as `provider/model`, or the label in its place. */
function toModelAttributes(name: string) {
  const slash = name.indexOf("/");
  return {
    [attribute.operation]: operation.chat,
    [attribute.provider]: slash < 0 ? name : toProviderName(name.slice(0, slash)),
    [attribute.requestModel]: name.slice(slash + 1),
  };
}

function countPhase({ phase, usage, elapsedMs, costUsd, error }: PhaseEnd, model: string): MetricUpdate {
  const role = billNames[phase];
  const { inputTokens, outputTokens } = usage;
  const attributes = toModelAttributes(model);
  const seconds = elapsedMs / 1000;
  return (to) => {
    to.phaseSeconds(seconds, { phase, model });
    to.operationSeconds(seconds, { ...attributes, [attribute.errorType]: error });
    to.tokens(inputTokens, { model, role, direction: "input" });
    to.tokens(outputTokens, { model, role, direction: "output" });
    // The conventions want no tokens that nobody has counted.
    if (usage.estimated === undefined && inputTokens + outputTokens > 0) {
      to.tokenUsage(inputTokens, { ...attributes, [attribute.tokenType]: "input" });
      to.tokenUsage(outputTokens, { ...attributes, [attribute.tokenType]: "output" });
    }
    if (costUsd !== null) to.cost(costUsd, { model, role });
    else if (inputTokens + outputTokens > 0) to.costUnknown(1, { model, role });
    if (error !== undefined && error !== "cancelled") to.errors(1, { source: "model", code: error });
  };
}

function toToolLabel({ tool, error }: ToolEnd, labels: MetricLabels): string {
  return error?.code === "unknown_tool" ? "unknown" : labels.tool(tool);
}

function countCall({ ok, cached, elapsedMs, error }: ToolEnd, tool: string): MetricUpdate {
  // What somebody wanted so is no error.
  const isWanted = error?.code === "denied" || error?.code === "cancelled";
  const result = ok ? "ok" : isWanted ? error.code : "error";
  const code = isWanted ? undefined : error?.code;
  const type = ok ? undefined : (error?.code ?? "tool_error");
  return (to) => {
    to.toolCalls(1, { tool, result, cached: String(cached) });
    to.toolSeconds(elapsedMs / 1000, { tool });
    to.toolOperationSeconds(elapsedMs / 1000, { [attribute.toolName]: tool, [attribute.errorType]: type });
    if (code !== undefined) to.errors(1, { source: "tool", code });
  };
}
