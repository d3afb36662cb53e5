import type { StoreStatus } from "../../app/conversations/store-monitor.ts";
import type { Metrics } from "../../app/telemetry/metrics.ts";
import { countRun, createRunMeter } from "../../app/telemetry/run-metrics.ts";
import type { UsageHistory } from "../../core/store/usage-history.ts";
import { ignoreRejection } from "../../kit/async/ignore-rejection.ts";
import type { RunHandle } from "../../runs/live/run-handle.ts";
import { HttpRefusalError } from "../http/response/refusal.ts";
import type { RequestSummary, Route, RouteCall } from "../http/routes.ts";
import { createProblemLog, type ProblemLog } from "./problem-log.ts";
import { createServerLevels } from "./server-levels.ts";
import { toUsageEntries } from "./usage-entries.ts";

/** Collects what the operator sees of a running server: metrics at `/metrics`. */
export interface Operations {
  readonly routes: Readonly<Record<string, Route>>;
  /** Counts a run from its beginning on. */
  followRun(run: RunHandle): void;
  /** Counts that it has ended. */
  countEnd(run: RunHandle): void;
  countAnswer(answer: RequestSummary): void;
  /** Has what went wrong and how the tools did, since the process began. */
  readonly problems: Pick<ProblemLog, "read">;
}

export interface OperationsParts {
  /** Has the metrics of the process. What runs do is recorded there already. */
  metrics: Pick<Metrics, "keep" | "labels" | "record" | "addLevels" | "readText">;
  readStore: () => StoreStatus;
  /** Opens what keeps the usage of callers, where there is something. */
  openUsage?: (() => Promise<UsageHistory | undefined>) | undefined;
}

export function openOperations({ metrics, readStore, openUsage }: OperationsParts): Operations {
  const state = { runs: 0, streams: 0, readStore };
  const problems = createProblemLog();
  metrics.keep();
  metrics.addLevels(createServerLevels(state));

  async function serveMetrics({ caller }: RouteCall): Promise<Response> {
    if (caller.owner !== undefined || caller.tools !== undefined) throw new HttpRefusalError(forOperator);
    return new Response(await metrics.readText(), { headers: { "content-type": textFormat } });
  }

  return {
    routes: { "/metrics": { GET: serveMetrics } },
    problems,
    followRun(run) {
      state.runs += 1;
      run.follow((event) => problems.handle(event, run));
      // A side call is a run of no agent, so nobody else measures it.
      if (!run.isAside) return;
      const meter = createRunMeter(metrics.labels, metrics.record);
      run.follow((event) => meter.handle(event, performance.now()));
    },
    countEnd(run) {
      state.runs -= 1;
      // Whoever goes on with it counts what it has used.
      if (run.isMoved) return;
      problems.countEnd(run);
      const saved = openUsage?.().then((history) => history?.add(toUsageEntries(run)));
      void ignoreRejection(saved, "the store's own notices say that it cannot be written");
      // A run that never came to an event has no other end.
      if (run.events.at(-1)?.type !== "run-end") metrics.record(countRun(run.snapshot()));
    },
    countAnswer({ route = "none", method, status, elapsedMs, stream }) {
      const name = methods.has(method) ? method : "other";
      metrics.record(({ requests, requestSeconds, errors }) => {
        requests(1, { route, method: name, status });
        requestSeconds(elapsedMs / 1000, { route, method: name });
        if (status >= 500) errors(1, { source: "http", code: String(status) });
      });
      if (stream === undefined) return;
      state.streams += 1;
      stream.onClose(() => {
        state.streams -= 1;
      });
    },
  };
}

/** Is the type of Prometheus' text format (https://prometheus.io/docs/instrumenting/exposition_formats/). */
const textFormat = "text/plain; version=0.0.4; charset=utf-8";

const methods: ReadonlySet<string> = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

const forOperator = {
  status: 403,
  error: "forbidden",
  text: {
    zh: "只有服务器管理员可以读取 /metrics（用 DUET_HTTP_TOKEN，或权限为 operate 的 API 令牌）",
    en: "/metrics is for the operator of this server (with DUET_HTTP_TOKEN, or an API token of the scope operate)",
  },
} as const;
