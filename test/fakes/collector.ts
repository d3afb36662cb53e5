import { createServer, type IncomingHttpHeaders } from "node:http";
import { onTestFinished } from "vitest";
import { isRecord } from "../../src/kit/json.ts";

/** A span as it arrived, attributes by name. */
export interface CollectedSpan {
  name: string;
  /** 1 internal, 3 client. */
  kind: number;
  traceId: string;
  spanId: string;
  parentSpanId: string;
  startMs: number;
  endMs: number;
  attributes: Record<string, unknown>;
  /** 2 is an error. */
  status: number;
  events: string[];
  /** Of the process. */
  resource: Record<string, unknown>;
}

/** A value of a metric: of a counter or gauge, or how many values a histogram took and their sum. */
export interface CollectedPoint {
  name: string;
  unit: string;
  attributes: Record<string, unknown>;
  value: number;
  sum?: number;
}

export interface CollectedLog {
  severity: string;
  body: unknown;
  traceId: string;
  spanId: string;
  attributes: Record<string, unknown>;
}

export interface Collector {
  url: string;
  requests: { path: string; headers: IncomingHttpHeaders }[];
  /** Connections made, answered or not. */
  connections(): number;
  /** In the order in which they ended. */
  spans(): CollectedSpan[];
  /** The points of all metrics, in the order in which they arrived. */
  points(): CollectedPoint[];
  logs(): CollectedLog[];
  text(): string;
}

/**
 * An OpenTelemetry collector that takes OTLP as JSON; one that hangs never answers, or not before a promise is fulfilled. `status`
 * may be one for each path. Closed when the test ends.
 */
export async function startCollector({
  status = 200,
  hangs = false,
}: {
  status?: number | ((path: string) => number);
  hangs?: boolean | Promise<void>;
} = {}): Promise<Collector> {
  const bodies: string[] = [];
  const requests: Collector["requests"] = [];
  let connections = 0;
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request.setEncoding("utf8")) body += chunk;
    requests.push({ path: request.url ?? "", headers: request.headers });
    bodies.push(body);
    const answer = typeof status === "number" ? status : status(request.url ?? "");
    if (hangs === true) return;
    await hangs;
    response.writeHead(answer, { "content-type": "application/json" }).end("{}");
  });
  server.on("connection", () => connections++);
  const port = await new Promise<number>((resolve) => {
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      resolve(typeof address === "object" && address ? address.port : 0);
    });
  });
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    connections: () => connections,
    spans: () => bodies.flatMap(spansOf).sort((a, b) => a.endMs - b.endMs),
    points: () => bodies.flatMap(pointsOf),
    logs: () => bodies.flatMap(logsOf),
    text: () => bodies.join("\n"),
  };
}

function spansOf(body: string): CollectedSpan[] {
  return list(JSON.parse(body), "resourceSpans").flatMap((group) => {
    const resource = attributesOf(isRecord(group.resource) ? group.resource : {});
    return list(group, "scopeSpans").flatMap((scope) => list(scope, "spans").map((span) => toSpan(span, resource)));
  });
}

function pointsOf(body: string): CollectedPoint[] {
  const metrics = list(JSON.parse(body), "resourceMetrics")
    .flatMap((group) => list(group, "scopeMetrics"))
    .flatMap((scope) => list(scope, "metrics"));
  return metrics.flatMap((metric) =>
    ["sum", "gauge", "histogram"].flatMap((kind) =>
      list(metric[kind], "dataPoints").map((point) => ({
        name: String(metric.name),
        unit: String(metric.unit ?? ""),
        attributes: attributesOf(point),
        value: Number(point.asDouble ?? point.asInt ?? point.count),
        ...(kind === "histogram" && { sum: Number(point.sum) }),
      })),
    ),
  );
}

function logsOf(body: string): CollectedLog[] {
  return list(JSON.parse(body), "resourceLogs")
    .flatMap((group) => list(group, "scopeLogs"))
    .flatMap((scope) => list(scope, "logRecords"))
    .map((log) => ({
      severity: String(log.severityText),
      body: plain(log.body),
      traceId: String(log.traceId ?? ""),
      spanId: String(log.spanId ?? ""),
      attributes: attributesOf(log),
    }));
}

function toSpan(span: Record<string, unknown>, resource: Record<string, unknown>): CollectedSpan {
  return {
    name: String(span.name),
    kind: Number(span.kind),
    traceId: String(span.traceId),
    spanId: String(span.spanId),
    parentSpanId: String(span.parentSpanId ?? ""),
    startMs: Number(span.startTimeUnixNano) / 1e6,
    endMs: Number(span.endTimeUnixNano) / 1e6,
    attributes: attributesOf(span),
    status: Number(isRecord(span.status) ? (span.status.code ?? 0) : 0),
    events: list(span, "events").map(({ name }) => String(name)),
    resource,
  };
}

function attributesOf(owner: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(list(owner, "attributes").map(({ key, value }) => [String(key), plain(value)]));
}

/** `{ intValue: 3 }` as 3. */
function plain(value: unknown): unknown {
  if (!isRecord(value)) return undefined;
  if (isRecord(value.arrayValue)) return list(value.arrayValue, "values").map(plain);
  return Object.values(value)[0];
}

function list(owner: unknown, name: string): Record<string, unknown>[] {
  const found = isRecord(owner) ? owner[name] : undefined;
  return Array.isArray(found) ? found.filter(isRecord) : [];
}
