import { type Locale, say } from "../../../kit/locale.ts";
import { formatCount } from "../../../kit/text/format-count.ts";
import { sanitizeLine } from "../../../kit/text/sanitize.ts";
import { truncate } from "../../../kit/text/truncate.ts";
import type { Counter } from "./counter.ts";
import { logLevels } from "./log-level.ts";
import type { Grouping, LogFilter, LogSummary, NumberedLine } from "./log-summary.ts";

export interface DescribeSummaryOptions {
  filter: LogFilter;
  groupBy: Grouping | undefined;
  mostMatches: number;
  /** The end of the file was not reached. */
  partial: boolean;
}

/** The summary as lines for a model; everything below the first line is about the lines that passed the filter. */
export function describeSummary(
  name: string,
  summary: LogSummary,
  telling: DescribeSummaryOptions,
  locale: Locale,
): string {
  const { lines, entries, matched, from, to } = summary;
  const tell = (zh: string, en: string) => say(locale, { zh, en });
  const formats =
    summary.formats
      .top(3)
      .map(([format]) => format)
      .join(", ") || tell("纯文本", "plain text");
  const filtered = Object.values(telling.filter).some((value) => value !== undefined);
  const parts = [
    tell(
      `${name}：${lines} 行，识别出 ${entries} 条记录，格式 ${formats}`,
      `${name}: ${formatCount(lines, "line")}, ${formatCount(entries, "log entry", "log entries")}, format ${formats}`,
    ),
  ];
  if (telling.partial)
    parts.push(tell("未读完：达到大小或时间上限", "Partial: a limit on size or time was reached before the end."));
  if (filtered) parts.push(tell(`符合筛选条件：${matched} 行`, `Lines that fit the filter: ${matched}`));
  if (from !== undefined && to !== undefined) {
    parts.push(
      tell(
        `时间范围：${showTime(from)} 至 ${showTime(to)}（UTC；没有时区的按原样）`,
        `Time span: ${showTime(from)} to ${showTime(to)} (UTC; those without a zone as they are)`,
      ),
    );
  }
  const levels = logLevels.toReversed().map((level) => [level, summary.levels.counts.get(level) ?? 0] as const);
  const counted = levels.filter(([, count]) => count > 0).map(([level, count]) => `${level} ${count}`);
  if (counted.length > 0) parts.push(`${tell("级别：", "Levels: ")}${counted.join(", ")}`);
  parts.push(...tellCounts(tell("最常见的消息：", "Most frequent messages:"), summary.messages, 5, locale));
  if (telling.groupBy !== undefined) {
    parts.push(
      ...tellCounts(
        tell(`按 ${telling.groupBy} 计数：`, `Count by ${telling.groupBy}:`),
        summary.groups,
        50,
        locale,
        isTime(telling.groupBy),
      ),
    );
  }
  const { firstError, lastError } = summary;
  if (firstError !== undefined) parts.push(`${tell("第一个错误：", "First error: ")}${showEntry(firstError)}`);
  if (lastError !== undefined && lastError !== firstError)
    parts.push(`${tell("最后一个错误：", "Last error: ")}${showEntry(lastError)}`);
  if (filtered && summary.matches.length > 0) {
    const count = summary.matches.length;
    parts.push(tell(`前 ${count} 行：`, `The first ${count} of them:`), ...summary.matches.map(showLine));
  }
  return parts.join("\n");
}

function isTime(grouping: Grouping): boolean {
  return grouping === "hour" || grouping === "day";
}

function tellCounts<K extends string>(
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

/** A line with what belongs to it, in the words of its first and last lines. */
function showEntry(numbered: NumberedLine): string {
  const { first, last, following } = numbered;
  const left = following - first.length - (last === undefined ? 0 : 1);
  const shown = [...first, ...(left > 0 ? ["…"] : []), ...(last === undefined ? [] : [last])];
  return [showLine(numbered), ...shown.map((line) => `  ${truncate(sanitizeLine(line), 200)}`)].join("\n");
}

function showLine({ line, text }: NumberedLine): string {
  return `${line}: ${truncate(sanitizeLine(text), 300)}`;
}
