import { toInvalidArgumentsResult, toValueProblem } from "../../../core/tools/argument-feedback.ts";
import type { ArgumentProblem, Tool, ToolContext, ToolResult } from "../../../core/tools/tool.ts";
import type { JsonObject } from "../../../kit/json.ts";
import { type Locale, say } from "../../../kit/locale.ts";
import { sanitizeLine } from "../../../kit/text/sanitize.ts";
import { truncate } from "../../../kit/text/truncate.ts";
import { createBuiltinTool, createFileResult } from "../../create-tool.ts";
import { resolveRoots, toDisplayedPath, toFileSource, toNotTextResult } from "../../files/allowed-path.ts";
import type { FileAccess } from "../../files/file-guard.ts";
import { toMissingFileResult } from "../../files/missing-file.ts";
import { type LineLimits, readLines } from "../../files/read-lines.ts";
import { openFound } from "../../files/walk-files.ts";
import { compileCapture } from "./capture.ts";
import { describeSummary } from "./describe-summary.ts";
import { addLine, createSummary, type Grouping, type LogFilter, logLevels, readLevel } from "./log-summary.ts";
import { readEntry, readTime } from "./read-entry.ts";

const groupings: readonly Grouping[] = ["level", "message", "hour", "day", "source"];
const defaultLimits: LineLimits = { totalBytes: 1_000_000_000, milliseconds: 20_000, lineLength: 32_000 };

/** The tool needs `now`, in milliseconds since 1970, because syslog writes no year. */
export function createLogTransform(
  { roots, guard }: FileAccess,
  locale: Locale,
  now: () => number,
  limits: Partial<LineLimits> = {},
): Tool {
  const describe = (zh: string, en: string) => say(locale, { zh, en });
  return createBuiltinTool({
    name: "log_transform",
    description: describe(
      "解析日志文件：筛选，按级别、消息或任意一段内容（如用户）计数，汇总错误与时间范围",
      "Parses a log file: filters it, counts by level, message or any part of the line (such as a user), summarises its errors and time span.",
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
            "Start time, such as 2026-01-02 or 2026-01-02 03:04:05",
          ),
        },
        until: { type: "string", description: describe("截止时间（含）", "End time, inclusive") },
        group_by: {
          type: "string",
          enum: [...groupings],
          description: describe(
            "按它计数，并给出每种的首末时间和行号",
            "Count by this, with the first and last time and line of each",
          ),
        },
        pattern: {
          type: "string",
          minLength: 1,
          maxLength: 200,
          description: describe(
            "正则表达式，按它的一个括号组匹配到的内容计数，如 user (u\\d+)",
            "Regular expression with one group; lines are counted by what the group matches, such as user (u\\d+)",
          ),
        },
        limit: {
          type: "integer",
          minimum: 0,
          maximum: 200,
          description: describe(
            "最多列出的行数（默认 20）；计数时为最多列出的种数（默认 50）",
            "Maximum number of lines to list (default 20); when counting, of counted values (default 50)",
          ),
        },
      },
      required: ["path"],
      additionalProperties: false,
    },
    run: (args, context) => transformLog(args, context, { roots, guard, now, limits: { ...defaultLimits, ...limits } }),
  });
}

interface TransformOptions extends FileAccess {
  now: () => number;
  limits: LineLimits;
}

async function transformLog(
  args: JsonObject,
  context: ToolContext,
  { roots, guard, now, limits }: TransformOptions,
): Promise<ToolResult> {
  const thisYear = new Date(now()).getUTCFullYear();
  const { filter, problems } = readFilter(args, thisYear);
  if (problems.length > 0) return toInvalidArgumentsResult(context.locale, problems);
  const pattern = typeof args.pattern === "string" ? args.pattern : undefined;
  const capture = pattern === undefined ? undefined : await compileCapture(pattern);
  if (capture !== undefined && "problem" in capture)
    return toInvalidArgumentsResult(context.locale, [
      toValueProblem("pattern", pattern, capture.problem.zh, capture.problem.en),
    ]);
  const real = await resolveRoots(roots);
  const path = String(args.path);
  const file = await openFound(path, real, guard);
  if (file === undefined) return toMissingFileResult(path, real, context.locale, guard);
  const groupBy = groupings.find((grouping) => grouping === args.group_by);
  const isCounting = groupBy !== undefined || pattern !== undefined;
  const request = { filter, groupBy, pattern, capture: capture?.find, ...readLimit(args.limit, isCounting) };
  const summary = createSummary();
  try {
    const reading = await readLines(file.handle, limits, context.signal, (line) => {
      addLine(summary, line, readEntry(line, thisYear), request);
      return capture?.isOverdue() ? "stop" : undefined;
    });
    const name = sanitizeLine(toDisplayedPath(file.path, real));
    if (reading.binary) return toNotTextResult(name, context.locale);
    const partial = reading.partial || capture?.isOverdue() === true;
    const text = describeSummary(name, summary, { ...request, partial }, context.locale);
    return createFileResult(text, toFileSource(file.path, real));
  } finally {
    await file.handle.close();
  }
}

/** Returns how many lines and groups are listed. Whoever counts needs few lines, and groups without a limit of their own. */
function readLimit(limit: unknown, isCounting: boolean): { mostMatches: number; mostGroups: number } {
  const asked = typeof limit === "number" ? limit : undefined;
  if (!isCounting) return { mostMatches: asked ?? 20, mostGroups: 5 };
  return { mostMatches: Math.min(asked ?? 3, 3), mostGroups: asked || 50 };
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
