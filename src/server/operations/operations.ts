import type { StoreStatus } from "../../app/conversations/store-monitor.ts";
import type { PhaseEnd, ToolEnd } from "../../core/events.ts";
import { billNames, type RunItem, type TurnState } from "../../core/run-state.ts";
import { ignoreRejection } from "../../kit/async/ignore-rejection.ts";
import type { LiveRun } from "../../runs/live-run.ts";
import type { RunHandle } from "../../runs/run-handle.ts";
import { HttpRefusalError } from "../http/response/refusal.ts";
import type { RequestSummary, Route, RouteCall } from "../http/routes.ts";
import type { Metrics } from "./metrics.ts";

/** Collects what the operator sees of a running server: metrics at `/metrics`. */
export interface Operations {
  readonly routes: Readonly<Record<string, Route>>;
  /** Counts a run from its beginning on. */
  followRun(run: RunHandle): void;
  /** Counts how it ended. */
  countEnd(run: RunHandle): void;
  countAnswer(answer: RequestSummary): void;
  /** Stops all measuring. */
  close(): void;
}

/**
 * Updates wait until there are this many, or until the first request for metrics. A server whose metrics nobody reads loads
 * nothing for them.
 */
const mostWaiting = 2000;

export function openOperations(readStore: () => StoreStatus): Operations {
  const levels = { runs: 0, streams: 0, readStore };
  let waiting: MetricUpdate[] = [];
  let figures: Metrics | undefined;
  let loading: Promise<Metrics> | undefined;
  let isClosed = false;

  function recordUpdate(each: MetricUpdate): void {
    if (isClosed) return;
    if (figures === undefined) waiting.push(each);
    else each(figures);
    if (waiting.length >= mostWaiting)
      void ignoreRejection(load(), "the next request for the metrics tries again and reports the failure");
  }

  function load(): Promise<Metrics> {
    loading ??= open().catch((thrown: unknown) => {
      loading = undefined;
      waiting = [];
      throw thrown;
    });
    return loading;
  }

  async function open(): Promise<Metrics> {
    const { createMetrics } = await import("./metrics.ts");
    const opened = createMetrics(levels);
    if (isClosed) opened.close();
    else figures = opened;
    for (const each of waiting) each(opened);
    waiting = [];
    return opened;
  }

  async function serveMetrics({ caller }: RouteCall): Promise<Response> {
    if (caller.owner !== undefined || caller.tools !== undefined) throw new HttpRefusalError(forOperator);
    const { registry } = await load();
    return new Response(await registry.metrics(), { headers: { "content-type": registry.contentType } });
  }

  return {
    routes: { "/metrics": { GET: serveMetrics } },
    followRun(run) {
      levels.runs += 1;
      run.follow((_, item) => {
        const update = measure(item);
        if (update !== undefined) recordUpdate(update);
      });
    },
    countEnd(run) {
      levels.runs -= 1;
      recordUpdate(countRun(run));
    },
    countAnswer({ route = "none", method, status, elapsedMs, stream }) {
      const name = methods.has(method) ? method : "other";
      recordUpdate(({ requests, requestSeconds, errors }) => {
        requests.inc({ route, method: name, status });
        requestSeconds.observe({ route, method: name }, elapsedMs / 1000);
        if (status >= 500) errors.inc({ source: "http", code: String(status) });
      });
      if (stream === undefined) return;
      levels.streams += 1;
      stream.onClose(() => {
        levels.streams -= 1;
      });
    },
    close() {
      isClosed = true;
      waiting = [];
      figures?.close();
    },
  };
}

const methods: ReadonlySet<string> = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

const forOperator = {
  status: 403,
  error: "auth",
  text: {
    zh: "只有服务器管理员可以读取 /metrics（用 DUET_HTTP_TOKEN）",
    en: "/metrics is for the operator of this server (with DUET_HTTP_TOKEN)",
  },
} as const;

/** Represents an update of the metrics, applied at once or as soon as they are loaded. */
type MetricUpdate = (figures: Metrics) => void;

/** Returns what an event adds to the metrics, by the part of the run that it changed. */
function measure(item: RunItem | undefined): MetricUpdate | undefined {
  switch (item?.kind) {
    case "thought":
    case "answer":
      return item.turn && measureFirstText(item.turn);
    case "turn": {
      const { end } = item;
      return end && ((figures) => recordPhase(figures, end));
    }
    case "call": {
      const { end } = item;
      return end && ((figures) => recordTool(figures, end));
    }
    default:
      return undefined;
  }
}

/** Returns undefined for a piece of text that is not the first of its turn. */
function measureFirstText({ start, startedAt, pieces, end }: TurnState): MetricUpdate | undefined {
  if (start === undefined || pieces !== 1 || end !== undefined) return undefined;
  const { phase, model } = start;
  const elapsed = (performance.now() - startedAt) / 1000;
  return ({ firstTokenSeconds, model: label }) => firstTokenSeconds.observe({ phase, model: label(model) }, elapsed);
}

/** Counts a run that has ended, also one that never came to an event. */
export function countRun(run: LiveRun): MetricUpdate {
  const { status, error, meta } = run.snapshot();
  // A note may wait for long, and must not keep the run.
  const { mode, latency_ms } = meta;
  const code = error?.code;
  return ({ runs, runSeconds, errors }) => {
    runs.inc({ mode, status });
    runSeconds.observe({ mode }, latency_ms / 1000);
    if (code !== undefined) errors.inc({ source: "run", code });
  };
}

function recordPhase(figures: Metrics, { phase, model, usage, elapsedMs, costUsd, error }: PhaseEnd): void {
  const name = figures.model(model);
  const role = billNames[phase];
  const tokens = usage.inputTokens + usage.outputTokens;
  figures.phaseSeconds.observe({ phase, model: name }, elapsedMs / 1000);
  figures.tokens.inc({ model: name, role, direction: "input" }, usage.inputTokens);
  figures.tokens.inc({ model: name, role, direction: "output" }, usage.outputTokens);
  if (costUsd !== null) figures.cost.inc({ model: name, role }, costUsd);
  else if (tokens > 0) figures.costUnknown.inc({ model: name, role });
  if (error !== undefined && error !== "cancelled") figures.errors.inc({ source: "model", code: error });
}

function recordTool(figures: Metrics, { tool, ok, cached, elapsedMs, error }: ToolEnd): void {
  const name = error?.code === "unknown_tool" ? "unknown" : figures.tool(tool);
  // What somebody wanted so is no error.
  const isWanted = error?.code === "denied" || error?.code === "cancelled";
  const result = ok ? "ok" : isWanted ? error.code : "error";
  figures.toolCalls.inc({ tool: name, result, cached: String(cached) });
  figures.toolSeconds.observe({ tool: name }, elapsedMs / 1000);
  if (error !== undefined && !isWanted) figures.errors.inc({ source: "tool", code: error.code });
}
