import { toInvalidArgumentsResult, toValueProblem } from "../../../core/tools/argument-feedback.ts";
import type { ArgumentProblem, Tool, ToolContext, ToolResult } from "../../../core/tools/tool.ts";
import type { JsonObject } from "../../../kit/json.ts";
import { type Locale, say } from "../../../kit/locale.ts";
import { sanitizeLine } from "../../../kit/text/sanitize.ts";
import { truncate } from "../../../kit/text/truncate.ts";
import { createSuccess, defineTool } from "../../define-tool.ts";
import { resolveRoots } from "../../files/allowed-path.ts";
import { openFound } from "../../files/open-allowed.ts";
import { toDisplayedPath, toNotTextResult, toPathRefusedResult } from "../../files/path-texts.ts";
import { type LineLimits, readLines } from "../../files/read-lines.ts";
import { describeSummary } from "./describe-summary.ts";
import { logLevels, readLevel } from "./log-level.ts";
import { addLine, createSummary, type Grouping, type LogFilter } from "./log-summary.ts";
import { readTime } from "./log-time.ts";
import { readEntry } from "./read-entry.ts";

const groupings: readonly Grouping[] = ["level", "message", "hour", "day", "source"];
const defaultLimits: LineLimits = { totalBytes: 1_000_000_000, milliseconds: 20_000, lineLength: 32_000 };

/** `now` is milliseconds since 1970: syslog writes no year. */
export function createLogTransform(
  roots: readonly string[],
  locale: Locale,
  now: () => number,
  limits: Partial<LineLimits> = {},
): Tool {
  const describe = (zh: string, en: string) => say(locale, { zh, en });
  return defineTool({
    name: "log_transform",
    description: describe(
      "解析日志文件：筛选、按级别和消息计数、汇总错误与时间范围",
      "Parses a log file: filters it, counts levels and messages, sums up its errors and time span.",
    ),
    inputSchema: {
      type: "object",
      properties: {
        path: { type: "string", minLength: 1, description: describe("日志文件路径", "Path of the log file") },
        level: {
          type: "string",
          enum: [...logLevels],
          description: describe("只看该级别及更严重的", "Only this level and more severe ones"),
        },
        contains: {
          type: "string",
          minLength: 1,
          description: describe("只看包含这段文字的行", "Only lines with this text"),
        },
        since: {
          type: "string",
          description: describe(
            "起始时间，如 2026-01-02 或 2026-01-02 03:04:05",
            "From this time on, such as 2026-01-02 03:04:05",
          ),
        },
        until: { type: "string", description: describe("截止时间（含）", "Up to and including this time") },
        group_by: { type: "string", enum: [...groupings], description: describe("分组计数", "Count by this") },
        limit: {
          type: "integer",
          minimum: 0,
          maximum: 200,
          default: 20,
          description: describe("最多列出的行数（默认 20）", "Most lines to list (default 20)"),
        },
      },
      required: ["path"],
      additionalProperties: false,
    },
    annotations: { readOnly: true, idempotent: true },
    run: (args, context) => transform(args, context, { roots, now, limits: { ...defaultLimits, ...limits } }),
  });
}

interface Surroundings {
  roots: readonly string[];
  now: () => number;
  limits: LineLimits;
}

async function transform(
  args: JsonObject,
  context: ToolContext,
  { roots, now, limits }: Surroundings,
): Promise<ToolResult> {
  const thisYear = new Date(now()).getUTCFullYear();
  const { filter, problems } = readFilter(args, thisYear);
  if (problems.length > 0) return toInvalidArgumentsResult(context.locale, problems);
  const real = await resolveRoots(roots);
  const path = String(args.path);
  const file = await openFound(path, real);
  if (file === undefined) return toPathRefusedResult(path, context.locale);
  const request = {
    filter,
    groupBy: groupings.find((grouping) => grouping === args.group_by),
    mostMatches: typeof args.limit === "number" ? args.limit : 20,
  };
  const summary = createSummary();
  try {
    const reading = await readLines(file.handle, limits, context.signal, (line) => {
      addLine(summary, line, readEntry(line, thisYear), request);
      return undefined;
    });
    const name = sanitizeLine(toDisplayedPath(file.path, real));
    if (reading.binary) return toNotTextResult(name, context.locale);
    return createSuccess(describeSummary(name, summary, { ...request, partial: reading.partial }, context.locale));
  } finally {
    await file.handle.close();
  }
}

function readFilter(args: JsonObject, thisYear: number): { filter: LogFilter; problems: ArgumentProblem[] } {
  const filter: LogFilter = { level: readLevel(args.level) };
  const problems: ArgumentProblem[] = [];
  if (typeof args.contains === "string") filter.contains = args.contains.toLowerCase();
  for (const key of ["since", "until"] as const) {
    const text = args[key];
    if (typeof text !== "string") continue;
    filter[key] = readTime(text.trim(), thisYear);
    // A day without a time of day ends with its last millisecond.
    if (key === "until" && filter.until !== undefined && /^\d{4}\D\d\d\D\d\d$/.test(text.trim()))
      filter.until += 86_399_999;
    if (filter[key] !== undefined) continue;
    const example = "2026-01-02T03:04:05Z";
    problems.push(
      toValueProblem(key, truncate(text, 100), `必须是时间，如 ${example}`, `must be a time such as ${example}`),
    );
  }
  return { filter, problems };
}
