import { toInvalidArgumentsResult, toValueProblem } from "../../core/tools/argument-feedback.ts";
import type { ArgumentProblem, Tool, ToolContext } from "../../core/tools/tool.ts";
import { DuetError } from "../../kit/errors.ts";
import { type Locale, say } from "../../kit/locale.ts";
import type { GuardedFetch } from "../../kit/net/guarded-fetch.ts";
import { toShortLine } from "../../kit/text/sanitize.ts";
import { createBuiltinTool, createSuccess } from "../create-tool.ts";

const mostAtOnce = 10;

/**
 * Checks whether web addresses answer and TCP ports are open. `now` is milliseconds since 1970 and is used for the days until
 * certificates expire.
 */
export function createHealthCheck(guardedFetch: GuardedFetch, locale: Locale, now: () => number): Tool {
  const describe = (zh: string, en: string) => ({ description: say(locale, { zh, en }) });
  return createBuiltinTool({
    name: "health_check",
    ...describe(
      "检查网址是否正常、TCP 端口是否可连，给出状态、耗时和证书剩余天数",
      "Checks whether URLs answer and TCP ports are open: status, response time and days until certificates expire.",
    ),
    inputSchema: {
      type: "object",
      properties: {
        targets: {
          type: "array",
          items: { type: "string", minLength: 1, maxLength: 2000 },
          minItems: 1,
          maxItems: 20,
          ...describe("网址，或 主机:端口", "URLs, or host:port"),
          examples: [["https://example.com/health", "db.example.com:5432"]],
        },
        timeout_s: {
          type: "number",
          minimum: 1,
          maximum: 30,
          default: 5,
          ...describe("每个目标最多等待的秒数", "Maximum seconds to wait for each"),
        },
      },
      required: ["targets"],
      additionalProperties: false,
    },
    async run({ targets, timeout_s }, context) {
      const written = Array.isArray(targets) ? targets.map(String) : [];
      const read = written.map(readTarget);
      const problems = read.flatMap((target, index) =>
        "path" in target ? [{ ...target, path: `targets[${index}]` }] : [],
      );
      if (problems.length > 0) return toInvalidArgumentsResult(context.locale, problems);
      const timeoutMs = (typeof timeout_s === "number" ? timeout_s : 5) * 1000;
      const probes = read.filter((target) => "written" in target);
      const findings = await runSideBySide(probes, mostAtOnce, (probe) =>
        check(probe, { guardedFetch, now, timeoutMs, context }),
      );
      return createSuccess([summarize(findings, context.locale), ...findings.map(({ line }) => line)].join("\n"));
    },
  });
}

interface Probe {
  written: string;
  /** Is undefined for a URL. */
  endpoint: { host: string; port: number } | undefined;
}

interface Finding {
  isUp: boolean;
  line: string;
}

function readTarget(written: string): Probe | ArgumentProblem {
  if (/^https?:\/\//i.test(written)) return { written, endpoint: undefined };
  const [, host, port] = /^(\[[0-9a-f:.]+\]|[^\s:/?#@\\[\]]+):(\d{1,5})$/i.exec(written) ?? [];
  if (host !== undefined && Number(port) >= 1 && Number(port) <= 65_535) {
    return { written, endpoint: { host, port: Number(port) } };
  }
  return toValueProblem(
    "targets",
    written,
    "必须是 http(s):// 网址，或 主机:端口（如 db.example.com:5432、[::1]:80）",
    "must be an http(s):// URL, or host:port such as db.example.com:5432 or [::1]:80",
  );
}

interface ProbeOptions {
  guardedFetch: GuardedFetch;
  now: () => number;
  timeoutMs: number;
  context: ToolContext;
}

async function check({ written, endpoint }: Probe, shared: ProbeOptions): Promise<Finding> {
  const { guardedFetch, timeoutMs, context } = shared;
  const { signal, locale } = context;
  const start = performance.now();
  const createFinding = (isUp: boolean, ...facts: string[]): Finding => ({
    isUp,
    line: [`${isUp ? "✓" : "✗"} ${toShortLine(written, 200)}`, ...facts].join(" · "),
  });
  try {
    if (endpoint) {
      const ms = await guardedFetch.connect(endpoint.host, endpoint.port, { timeoutMs, signal });
      return createFinding(true, say(locale, { zh: "端口已打开", en: "open" }), `${Math.round(ms)} ms`);
    }
    const limits = { maxBytes: 0, maxRedirects: 5, timeoutMs, signal };
    const { status, statusText, certificateUntil, elapsedMs } = await guardedFetch.request({ url: written, ...limits });
    const facts = [`${status} ${statusText}`.trimEnd(), `${Math.round(elapsedMs)} ms`];
    if (certificateUntil !== undefined) facts.push(describeDaysLeft(certificateUntil - shared.now(), locale));
    return createFinding(status < 400, ...facts);
  } catch (thrown) {
    signal.throwIfAborted();
    if (!(thrown instanceof DuetError)) throw thrown;
    return createFinding(false, say(locale, thrown.text), `${Math.round(performance.now() - start)} ms`);
  }
}

function describeDaysLeft(ms: number, locale: Locale): string {
  const days = Math.floor(ms / 86_400_000);
  const mark = days < 14 ? "⚠ " : "";
  return `${mark}${say(locale, { zh: `证书还有 ${days} 天`, en: `certificate expires in ${days} ${days === 1 ? "day" : "days"}` })}`;
}

function summarize(findings: readonly Finding[], locale: Locale): string {
  const [up, all] = [findings.filter(({ isUp }) => isUp).length, findings.length];
  return say(locale, { zh: `${all} 个目标，${up} 个正常`, en: `${up} of ${all} up` });
}

/** Returns the results in the order of the items. */
async function runSideBySide<T, R>(items: readonly T[], most: number, work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  const queue = items.entries();
  const runWorker = async (): Promise<void> => {
    for (const [index, item] of queue) results[index] = await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(most, items.length) }, runWorker));
  return results;
}
