import { toInvalidArgumentsResult, toValueProblem } from "../../../core/tools/argument-feedback.ts";
import type { ArgumentProblem, Tool, ToolContext, ToolResult } from "../../../core/tools/tool.ts";
import type { JsonObject } from "../../../kit/json.ts";
import { type Locale, say } from "../../../kit/locale.ts";
import { formatCount } from "../../../kit/text/format-count.ts";
import { sanitizeLine } from "../../../kit/text/sanitize.ts";
import { truncate } from "../../../kit/text/truncate.ts";
import { createBuiltinTool, createSuccess } from "../../create-tool.ts";
import { resolveRoots, toDisplayedPath, toNotTextResult } from "../../files/allowed-path.ts";
import type { FileGuard } from "../../files/file-guard.ts";
import { toMissingFileResult } from "../../files/missing-file.ts";
import { type LineLimits, readLines } from "../../files/read-lines.ts";
import { openFound } from "../../files/walk-files.ts";
import { compileCapture } from "./capture.ts";
import {
  addLine,
  type Counter,
  createSummary,
  type Grouping,
  type LogFilter,
  type LogSummary,
  logLevels,
  type NumberedLine,
  readLevel,
} from "./log-summary.ts";
import { readEntry, readTime } from "./read-entry.ts";

const groupings: readonly Grouping[] = ["level", "message", "hour", "day", "source"];
const defaultLimits: LineLimits = { totalBytes: 1_000_000_000, milliseconds: 20_000, lineLength: 32_000 };

/** The tool needs `now`, in milliseconds since 1970, because syslog writes no year. */
export function createLogTransform(
  roots: readonly string[],
  locale: Locale,
  now: () => number,
  limits: Partial<LineLimits> = {},
  guard?: FileGuard,
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
            "Start time, such as 2026-01-02 03:04:05",
          ),
        },
        until: { type: "string", description: describe("截止时间（含）", "End time, inclusive") },
        group_by: { type: "string", enum: [...groupings], description: describe("分组计数", "Count by this") },
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
          default: 20,
          description: describe("最多列出的行数（默认 20）", "Maximum number of lines to list (default 20)"),
        },
      },
      required: ["path"],
      additionalProperties: false,
    },
    run: (args, context) => transformLog(args, context, { roots, guard, now, limits: { ...defaultLimits, ...limits } }),
  });
}

interface Surroundings {
  roots: readonly string[];
  guard: FileGuard | undefined;
  now: () => number;
  limits: LineLimits;
}

async function transformLog(
  args: JsonObject,
  context: ToolContext,
  { roots, guard, now, limits }: Surroundings,
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
  const request = {
    filter,
    groupBy: groupings.find((grouping) => grouping === args.group_by),
    pattern,
    capture: capture?.find,
    mostMatches: typeof args.limit === "number" ? args.limit : 20,
  };
  const summary = createSummary();
  try {
    const reading = await readLines(file.handle, limits, context.signal, (line) => {
      addLine(summary, line, readEntry(line, thisYear), request);
      return capture?.isOverdue() ? "stop" : undefined;
    });
    const name = sanitizeLine(toDisplayedPath(file.path, real));
    if (reading.binary) return toNotTextResult(name, context.locale);
    const partial = reading.partial || capture?.isOverdue() === true;
    return createSuccess(describeSummary(name, summary, { ...request, partial }, context.locale));
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

export interface DescribeSummaryOptions {
  filter: LogFilter;
  groupBy: Grouping | undefined;
  pattern?: string | undefined;
  mostMatches: number;
  /** Is true when the end of the file was not reached. */
  partial: boolean;
}

/** Writes the summary as lines for a model. Everything below the first line covers only the lines that passed the filter. */
export function describeSummary(
  name: string,
  summary: LogSummary,
  telling: DescribeSummaryOptions,
  locale: Locale,
): string {
  const { lines, entries, matched, from, to } = summary;
  const translate = (zh: string, en: string) => say(locale, { zh, en });
  const formats =
    summary.formats
      .top(3)
      .map(([format]) => format)
      .join(", ") || translate("纯文本", "plain text");
  const filtered = Object.values(telling.filter).some((value) => value !== undefined);
  const parts = [
    translate(
      `${name}：${lines} 行，识别出 ${entries} 条记录，格式 ${formats}`,
      `${name}: ${formatCount(lines, "line")}, ${formatCount(entries, "log entry", "log entries")}, format ${formats}`,
    ),
  ];
  if (telling.partial)
    parts.push(translate("未读完：达到大小或时间上限", "Partial: a limit on size or time was reached before the end."));
  if (filtered) parts.push(translate(`符合筛选条件：${matched} 行`, `Lines that match the filter: ${matched}`));
  if (from !== undefined && to !== undefined) {
    parts.push(
      translate(
        `时间范围：${showTime(from)} 至 ${showTime(to)}（UTC；没有时区的按原样）`,
        `Time span: ${showTime(from)} to ${showTime(to)} (UTC; those without a zone as they are)`,
      ),
    );
  }
  const levels = logLevels.toReversed().map((level) => [level, summary.levels.counts.get(level) ?? 0] as const);
  const counted = levels.filter(([, count]) => count > 0).map(([level, count]) => `${level} ${count}`);
  if (counted.length > 0) parts.push(`${translate("级别：", "Levels: ")}${counted.join(", ")}`);
  // Grouped by message, these are the first lines of the groups below.
  if (telling.groupBy !== "message")
    parts.push(...renderCounts(translate("最常见的消息：", "Most frequent messages:"), summary.messages, 5, locale));
  if (telling.groupBy !== undefined) {
    parts.push(
      ...renderCounts(
        translate(`按 ${telling.groupBy} 计数：`, `Count by ${telling.groupBy}:`),
        summary.groups,
        50,
        locale,
        isTime(telling.groupBy),
      ),
    );
  }
  if (telling.pattern !== undefined) parts.push(...describeCaptures(telling.pattern, summary, locale));
  const { firstError, lastError } = summary;
  if (firstError !== undefined) parts.push(`${translate("第一个错误：", "First error: ")}${showEntry(firstError)}`);
  if (lastError !== undefined && lastError !== firstError)
    parts.push(`${translate("最后一个错误：", "Last error: ")}${showEntry(lastError)}`);
  if (filtered && summary.matches.length > 0) {
    const count = summary.matches.length;
    const title =
      count === matched
        ? translate("这些行：", matched === 1 ? "The line:" : "The lines:")
        : translate(`前 ${count} 行：`, count === 1 ? "The first of them:" : `The first ${count} of them:`);
    parts.push(title, ...summary.matches.map(showLine));
  }
  return parts.join("\n");
}

function describeCaptures(pattern: string, { captures, captured, matched }: LogSummary, locale: Locale): string[] {
  const shown = sanitizeLine(pattern);
  if (captured === 0) {
    const zh = `按 ${shown} 计数：没有一行匹配`;
    return [say(locale, { zh, en: `Count by ${shown}: no line matches.` })];
  }
  const kinds = captures.others > 0 ? `${captures.counts.size}+` : String(captures.counts.size);
  const title = say(locale, {
    zh: `按 ${shown} 计数（${matched} 行中 ${captured} 行匹配，${kinds} 种）：`,
    en: `Count by ${shown} (${captured} of ${formatCount(matched, "line")} ${captured === 1 ? "matches" : "match"}, ${kinds} different):`,
  });
  return renderCounts(title, captures, 50, locale);
}

function isTime(grouping: Grouping): boolean {
  return grouping === "hour" || grouping === "day";
}

function renderCounts<K extends string>(
  title: string,
  counter: Counter<K>,
  most: number,
  locale: Locale,
  byKey = false,
): string[] {
  const top = counter.top(most);
  if (top.length === 0) return [];
  const ordered = byKey ? top.toSorted(([a], [b]) => (a < b ? -1 : 1)) : top;
  const left = counter.counts.size - top.length;
  const more = say(
    locale,
    counter.others > 0
      ? { zh: `  …还有 ${left} 种以上`, en: `  ... and more than ${left} others` }
      : { zh: `  …还有 ${left} 种`, en: `  ... and ${left} more` },
  );
  return [
    title,
    ...ordered.map(([key, count]) => `  ${count}× ${truncate(sanitizeLine(key), 160)}`),
    ...(left > 0 ? [more] : []),
  ];
}

function showTime(ms: number): string {
  return new Date(ms)
    .toISOString()
    .replace("T", " ")
    .replace(/\.000Z$/, "")
    .replace(/Z$/, "");
}

/** Shows an entry with the first and last of its continuation lines. */
function showEntry(numbered: NumberedLine): string {
  const { first, last, following } = numbered;
  const left = following - first.length - (last === undefined ? 0 : 1);
  const shown = [...first, ...(left > 0 ? ["…"] : []), ...(last === undefined ? [] : [last])];
  return [showLine(numbered), ...shown.map((line) => `  ${truncate(sanitizeLine(line), 200)}`)].join("\n");
}

function showLine({ line, text }: NumberedLine): string {
  return `${line}: ${truncate(sanitizeLine(text), 300)}`;
}
