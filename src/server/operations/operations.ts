import type { RunHandle } from "../../runs/run-handle.ts";
import { RefusedError } from "../http/response/refuse.ts";
import type { Answer, Route, RouteCall } from "../http/routes.ts";
import { countRun, createRunMeter, type MetricUpdate } from "./measure-run.ts";
import type { Metrics } from "./metrics.ts";

/** What the operator is told of a server that runs: figures at `/metrics`. */
export interface Operations {
  readonly routes: Readonly<Record<string, Route>>;
  /** Counts a run from its beginning on. */
  follow(run: RunHandle): void;
  /** Counts how it ended. */
  ended(run: RunHandle): void;
  answered(answer: Answer): void;
  /** Nothing is measured any more. */
  close(): void;
}

/** What is to be counted waits for as many as this, or for the first look: a server at which nobody looks loads nothing for it. */
const mostWaiting = 2000;

export function openOperations(): Operations {
  const levels = { runs: 0, streams: 0 };
  let waiting: MetricUpdate[] = [];
  let figures: Metrics | undefined;
  let loading: Promise<Metrics> | undefined;
  let isClosed = false;

  function note(each: MetricUpdate): void {
    if (isClosed) return;
    if (figures === undefined) waiting.push(each);
    else each(figures);
    if (waiting.length >= mostWaiting) load().catch(() => {});
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

  async function metrics({ caller }: RouteCall): Promise<Response> {
    if (caller.owner !== undefined || caller.tools !== undefined) throw new RefusedError(forOperator);
    const { registry } = await load();
    return new Response(await registry.metrics(), { headers: { "content-type": registry.contentType } });
  }

  return {
    routes: { "/metrics": { GET: metrics } },
    follow(run) {
      levels.runs += 1;
      run.follow(createRunMeter(note));
    },
    ended(run) {
      levels.runs -= 1;
      note(countRun(run));
    },
    answered({ route = "none", method, status, elapsedMs, stream }) {
      const name = methods.has(method) ? method : "other";
      note(({ requests, requestSeconds, errors }) => {
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
    zh: "只有运行此服务的人可以读取 /metrics（用 DUET_HTTP_TOKEN）",
    en: "/metrics is for whoever runs this server (with DUET_HTTP_TOKEN)",
  },
} as const;
