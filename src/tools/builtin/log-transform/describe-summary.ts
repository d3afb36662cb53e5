import { type Locale, say } from "../../../kit/locale.ts";
import { formatCount } from "../../../kit/text/format-count.ts";
import { sanitizeLine } from "../../../kit/text/sanitize.ts";
import { truncate } from "../../../kit/text/truncate.ts";
import type { Group, GroupCounter, Place } from "./count-groups.ts";
import { type Grouping, type LogFilter, type LogSummary, logLevels, type NumberedLine } from "./log-summary.ts";

export interface DescribeSummaryOptions {
  filter: LogFilter;
  groupBy: Grouping | undefined;
  pattern?: string | undefined;
  mostGroups: number;
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
  const { lines, entries } = summary;
  const translate = (zh: string, en: string) => say(locale, { zh, en });
  const formats = summary.formats.top(3).join(", ") || translate("纯文本", "plain text");
  const parts = [
    translate(
      `${name}：${lines} 行，识别出 ${entries} 条记录，格式 ${formats}`,
      `${name}: ${formatCount(lines, "line")}, ${formatCount(entries, "log entry", "log entries")}, format ${formats}`,
    ),
  ];
  if (telling.partial)
    parts.push(translate("未读完：达到大小或时间上限", "Partial: a limit on size or time was reached before the end."));
  parts.push(...describeMatched(summary, telling, locale), ...describeSpan(summary, locale));
  const isCounting = telling.groupBy !== undefined || telling.pattern !== undefined;
  if (isCounting) parts.push(...describeCounts(summary, telling, locale));
  else {
    const title = translate("最常见的消息：", "Most frequent messages:");
    parts.push(...renderGroups(title, summary.groups, telling.mostGroups, locale), ...describeErrors(summary, locale));
  }
  if (isFiltered(telling)) parts.push(...describeMatches(summary, locale));
  return parts.join("\n");
}

function isFiltered({ filter }: DescribeSummaryOptions): boolean {
  return Object.values(filter).some((value) => value !== undefined);
}

/** Says how many lines match and of which levels, unless the lines are counted by level below. */
function describeMatched(summary: LogSummary, telling: DescribeSummaryOptions, locale: Locale): string[] {
  const { matched, levels } = summary;
  const translate = (zh: string, en: string) => say(locale, { zh, en });
  const counted = logLevels.toReversed().flatMap((level) => {
    const count = levels.counts.get(level) ?? 0;
    return count > 0 ? [{ level, count }] : [];
  });
  const [only] = counted;
  const isShown = telling.groupBy !== "level" && only !== undefined;
  const list = `${translate("级别：", "Levels: ")}${counted.map(({ level, count }) => `${level} ${count}`).join(", ")}`;
  const rest = isShown ? [list] : [];
  if (!isFiltered(telling)) return rest;
  const line = translate(`符合筛选条件：${matched} 行`, `Lines that match the filter: ${matched}`);
  const isOneLevel = isShown && counted.length === 1 && only.count === matched;
  return isOneLevel ? [`${line}${translate(`，都是 ${only.level}`, `, all ${only.level}`)}`] : [line, ...rest];
}

function describeSpan({ from, to, zones }: LogSummary, locale: Locale): string[] {
  if (from === undefined || to === undefined) return [];
  const zone = say(locale, describeZones(zones.top(4)));
  return [
    say(locale, {
      zh: `时间范围：${showTime(from)} 至 ${showTime(to)}（${zone}）`,
      en: `Time span: ${showTime(from)} to ${showTime(to)} (${zone})`,
    }),
  ];
}

/** Says in which zone times are shown, and what the log writes. */
function describeZones(found: readonly string[]) {
  const others = found.filter((zone) => zone !== "" && zone.toUpperCase() !== "Z");
  const hasNone = found.includes("");
  if (found.every((zone) => zone === "")) return { zh: "日志没有写时区", en: "no time zone in the log" };
  if (others.length === 0 && !hasNone) return { zh: "UTC", en: "UTC" };
  const zh = others.length === 0 ? "UTC" : `已换算为 UTC；日志的时区：${others.join("、")}`;
  const en = others.length === 0 ? "UTC" : `in UTC; zones in the log: ${others.join(", ")}`;
  return hasNone ? { zh: `${zh}；没写时区的按 UTC 计`, en: `${en}; times without a zone count as UTC` } : { zh, en };
}

function describeCounts(
  { groups, captures, captured, matched }: LogSummary,
  { groupBy, pattern, mostGroups }: DescribeSummaryOptions,
  locale: Locale,
): string[] {
  const parts: string[] = [];
  if (groupBy !== undefined) {
    const isTime = groupBy === "hour" || groupBy === "day";
    const title = say(locale, { zh: `按 ${groupBy} 计数：`, en: `Count by ${groupBy}:` });
    parts.push(...renderGroups(title, groups, mostGroups, locale, isTime));
  }
  if (pattern === undefined) return parts;
  const shown = sanitizeLine(pattern);
  if (captured === 0) {
    const zh = `按 ${shown} 计数：没有一行匹配`;
    return [...parts, say(locale, { zh, en: `Count by ${shown}: no line matches.` })];
  }
  const kinds = captures.others > 0 ? `${captures.groups.size}+` : String(captures.groups.size);
  const title = say(locale, {
    zh: `按 ${shown} 计数（${matched} 行中 ${captured} 行匹配，${kinds} 种）：`,
    en: `Count by ${shown} (${captured} of ${formatCount(matched, "line")} ${captured === 1 ? "matches" : "match"}, ${kinds} different):`,
  });
  return [...parts, ...renderGroups(title, captures, mostGroups, locale)];
}

function renderGroups(title: string, counter: GroupCounter, most: number, locale: Locale, areTimes = false): string[] {
  const top = counter.top(most);
  if (top.length === 0) return [];
  const ordered = areTimes ? top.toSorted((a, b) => (a.show() < b.show() ? -1 : 1)) : top;
  const left = counter.groups.size - top.length;
  const all = counter.others + [...counter.groups.values()].reduce((sum, { count }) => sum + count, 0);
  const rest = all - top.reduce((sum, { count }) => sum + count, 0);
  const more = say(
    locale,
    counter.others > 0
      ? { zh: `  …还有 ${left} 种以上，共 ${rest} 行`, en: `  ... and more than ${left} others (${rest} lines)` }
      : { zh: `  …还有 ${left} 种，共 ${rest} 行`, en: `  ... and ${left} more (${formatCount(rest, "line")})` },
  );
  return [title, ...ordered.map((group) => showGroup(group, locale, areTimes)), ...(left > 0 ? [more] : [])];
}

/** Shows a value with its count and where it stands first and last. A value that is a time needs no other times. */
function showGroup({ count, first, last, show }: Group, locale: Locale, isTime: boolean): string {
  const place = ({ line, time }: Place) => {
    const when = time === undefined || isTime ? "" : showTime(time);
    return say(locale, { zh: `第 ${line} 行${when && ` ${when}`}`, en: `line ${line}${when && `, ${when}`}` });
  };
  const places =
    count === 1
      ? place(first)
      : say(locale, {
          zh: `首次${place(first)}，末次${place(last)}`,
          en: `first ${place(first)}; last ${place(last)}`,
        });
  const value = show() === "-" ? say(locale, { zh: "（无）", en: "(none)" }) : truncate(sanitizeLine(show()), 200);
  return `  ${count}× ${value} - ${places}`;
}

function describeErrors({ firstError, lastError }: LogSummary, locale: Locale): string[] {
  const translate = (zh: string, en: string) => say(locale, { zh, en });
  return [
    ...(firstError === undefined ? [] : [`${translate("第一个错误：", "First error: ")}${showEntry(firstError)}`]),
    ...(lastError === undefined || lastError === firstError
      ? []
      : [`${translate("最后一个错误：", "Last error: ")}${showEntry(lastError)}`]),
  ];
}

function describeMatches({ matches, matched }: LogSummary, locale: Locale): string[] {
  const count = matches.length;
  if (count === 0) return [];
  const title =
    count === matched
      ? { zh: "这些行：", en: matched === 1 ? "The line:" : "The lines:" }
      : { zh: `前 ${count} 行：`, en: count === 1 ? "The first of them:" : `The first ${count} of them:` };
  return [say(locale, title), ...matches.map(showLine)];
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
