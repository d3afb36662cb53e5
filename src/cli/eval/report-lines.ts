import type { AttemptResult, FailureKind, PhaseUse } from "../../eval/attempt-result.ts";
import type { Comparison } from "../../eval/compare-reports.ts";
import type { Report, ReportRow } from "../../eval/report.ts";
import type { Share, Spread } from "../../eval/statistics.ts";
import { type Locale, say, type Text } from "../../kit/locale.ts";
import { formatCount } from "../../kit/text/format-count.ts";

const failureTexts: Record<FailureKind, Text> = {
  timeout: { zh: "超时", en: "time-out" },
  error: { zh: "出错", en: "error" },
  "wrong-tool": { zh: "工具选错", en: "wrong tool" },
  "wrong-arguments": { zh: "参数错误", en: "wrong argument" },
  limit: { zh: "达到上限", en: "limit reached" },
  answer: { zh: "回答未通过检查", en: "answer failed a check" },
  "not-judged": { zh: "没有得到评分", en: "not judged" },
};

/** Lists the texts of targets, in the order of `targets` in the file. */
const targetTexts: Readonly<Record<string, Text>> = {
  success: { zh: "成功率 ≥", en: "success ≥" },
  toolChoice: { zh: "工具选择 ≥", en: "tool choice ≥" },
  arguments: { zh: "参数 ≥", en: "arguments ≥" },
  quality: { zh: "质量 ≥", en: "quality ≥" },
  callSeconds: { zh: "最长的工具调用 ≤", en: "longest tool call ≤" },
  firstTextSeconds: { zh: "首段文字（中位数）≤", en: "first text (median) ≤" },
  tokenSaving: { zh: "回答模型少用的请求 token ≥", en: "request tokens the answer model saves ≥" },
};

const roleTexts: Readonly<Record<"function_call" | "answer", Text>> = {
  function_call: { zh: "决策模型", en: "function-call model" },
  answer: { zh: "回答模型", en: "answer model" },
};

/** Writes one line about an attempt that has just ended. */
export function renderAttempt(result: AttemptResult, done: number, total: number, locale: Locale): string {
  const { failure, detail } = result;
  const end =
    failure === null
      ? say(locale, { zh: "成功", en: "ok" })
      : [say(locale, failureTexts[failure]), detail].filter(Boolean).join(": ");
  const repetition = result.repetition > 1 ? ` (${result.repetition})` : "";
  return `[${done}/${total}] ${result.pair}  ${result.case}${repetition}  ${end}`;
}

/** Writes a report for people. `refusals` says what a recording did not hold. */
export function renderReport(
  report: Report,
  comparisons: readonly Comparison[],
  refusals: readonly Text[],
  locale: Locale,
): string[] {
  const manyPrompts = new Set(report.rows.map(({ prompts }) => prompts)).size > 1;
  return [
    ...report.rows.flatMap((row) => [...renderRow(row, manyPrompts, locale), ""]),
    ...comparisons.flatMap((comparison) => [...renderComparison(comparison, locale), ""]),
    ...renderEnd(report, refusals, locale),
  ];
}

function renderRow(row: ReportRow, withPrompts: boolean, locale: Locale): string[] {
  const { models, tokens, request_tokens: requests, times } = row;
  const isSingle = models.function_call === models.answer;
  const title = isSingle ? models.answer : `${models.function_call} + ${models.answer}`;
  const prompts = withPrompts ? say(locale, { zh: `，提示词 ${row.prompts}`, en: `, prompts ${row.prompts}` }) : "";
  const roles = isSingle ? (["answer"] as const) : (["function_call", "answer"] as const);
  const toLine = (label: Text, value: string): string =>
    `  ${say(locale, label)}${locale === "zh" ? "：" : ": "}${value}`;
  const failures = Object.entries(failureTexts).flatMap(([kind, text]) => {
    const count = Object.entries(row.failures).find(([name]) => name === kind)?.[1] ?? 0;
    return count === 0 ? [] : [`${say(locale, text)} ${count}`];
  });
  const joinRoles = (show: (role: "function_call" | "answer") => string): string =>
    roles.map((role) => `${say(locale, roleTexts[role])} ${show(role)}`).join(separators[locale]);
  return [
    `${title}${prompts}`,
    toLine({ zh: "成功", en: "success" }, renderShare(row.success, locale)),
    toLine({ zh: "工具选择", en: "tool choice" }, renderShare(row.tool_choice, locale)),
    toLine({ zh: "参数（工具选对时）", en: "arguments (of the right tools)" }, renderShare(row.arguments, locale)),
    ...(row.checks.of > 0
      ? [toLine({ zh: "回答的检查", en: "checks of answers" }, renderShare(row.checks, locale))]
      : []),
    ...(row.quality
      ? [
          toLine(
            { zh: "质量（评判）", en: "quality (judge)" },
            `${row.quality.mean.toFixed(2)} (n = ${row.quality.of})`,
          ),
        ]
      : []),
    ...(failures.length > 0 ? [toLine({ zh: "失败", en: "failures" }, failures.join(separators[locale]))] : []),
    ...(Object.keys(row.groups).length > 0
      ? [
          toLine(
            { zh: "各组", en: "groups" },
            Object.entries(row.groups)
              .map(([name, { passed, of }]) => `${name} ${passed}/${of}`)
              .join(separators[locale]),
          ),
        ]
      : []),
    toLine(
      { zh: "token（输入 + 输出）", en: "tokens (in + out)" },
      `${joinRoles((role) => `${toCount(tokens[role].input)} + ${toCount(tokens[role].output)}`)}${separators[locale]}${say(locale, { zh: "合计", en: "total" })} ${toCount(tokens.total)}`,
    ),
    toLine(
      { zh: "请求 token（估算）", en: "request tokens (estimated)" },
      `${joinRoles((role) => toCount(requests[role]))}${separators[locale]}${say(locale, { zh: "合计", en: "total" })} ${toCount(requests.total)}`,
    ),
    ...(row.against_single
      ? [
          toLine(
            { zh: `与 ${row.against_single.pair} 单独作答相比`, en: `against ${row.against_single.pair} alone` },
            say(locale, {
              zh: `回答模型的请求 token ${toChange(-row.against_single.answer_model)}，合计 ${toChange(-row.against_single.total)}`,
              en: `request tokens of the answer model ${toChange(-row.against_single.answer_model)}, in total ${toChange(-row.against_single.total)}`,
            }),
          ),
        ]
      : []),
    toLine({ zh: "费用", en: "cost" }, renderCost(row, locale)),
    toLine({ zh: "首段文字", en: "first text" }, renderSpread(times.first_text, locale)),
    toLine({ zh: "整次运行", en: "whole run" }, renderSpread(times.total, locale)),
    toLine({ zh: "每次工具调用", en: "tool call" }, renderSpread(times.call, locale)),
    ...Object.entries(row.phases).map(([phase, use]) => renderPhase(phase, use, times.phases[phase], locale)),
    ...row.targets.map(({ name, wanted, measured, met }) => {
      const isTime = name.endsWith("Seconds");
      const show = (value: number): string => (isTime ? `${Number(value.toFixed(2))} s` : toPercent(value));
      const label = targetTexts[name] ?? { zh: name, en: name };
      const shown = measured === null ? say(locale, notMeasured) : show(measured);
      return `  ${met ? "✓" : "✗"} ${say(locale, label)} ${show(wanted)}${locale === "zh" ? "：" : ": "}${shown}`;
    }),
  ];
}

const separators: Readonly<Record<Locale, string>> = { zh: "，", en: ", " };
const notMeasured: Text = { zh: "未测量", en: "not measured" };

/** Writes a share with its interval: `47/60  78.3 %  [66.4, 86.9]`. */
export function renderShare({ passed, of, rate, low, high }: Share, locale: Locale = "en"): string {
  if (rate === null || low === null || high === null) return say(locale, notMeasured);
  const toBound = (value: number): string => (value * 100).toFixed(1);
  return `${passed}/${of}  ${toPercent(rate)}  [${toBound(low)}, ${toBound(high)}]`;
}

function renderSpread({ count, median, p95, max }: Spread, locale: Locale): string {
  if (median === null || p95 === null || max === null) return say(locale, notMeasured);
  const [of, most] = [say(locale, { zh: "中位数", en: "median" }), say(locale, { zh: "最长", en: "max" })];
  const parts = [`${of} ${toTime(median)}`, `p95 ${toTime(p95)}`, `${most} ${toTime(max)}`];
  return `${parts.join(separators[locale])} (n = ${count})`;
}

const phaseTexts: Readonly<Record<string, Text>> = {
  compact: { zh: "阶段 压缩", en: "phase compact" },
  plan: { zh: "阶段 计划", en: "phase plan" },
  decide: { zh: "阶段 决策", en: "phase decide" },
  answer: { zh: "阶段 回答", en: "phase answer" },
};

function renderPhase(phase: string, use: PhaseUse, times: Spread | undefined, locale: Locale): string {
  const label = say(locale, phaseTexts[phase] ?? { zh: phase, en: phase });
  const cost = use.cost_usd === null ? "" : `${separators[locale]}$${use.cost_usd.toFixed(4)}`;
  const used = say(locale, {
    zh: `${use.turns} 轮，token ${toCount(use.input)} + ${toCount(use.output)}${cost}`,
    en: `${formatCount(use.turns, "turn")}, tokens ${toCount(use.input)} + ${toCount(use.output)}${cost}`,
  });
  const [colon, semicolon] = locale === "zh" ? ["：", "；"] : [": ", "; "];
  return `  ${label}${colon}${used}${times === undefined ? "" : `${semicolon}${renderSpread(times, locale)}`}`;
}

function renderCost({ cost_usd: cost, judge_cost_usd: judge }: ReportRow, locale: Locale): string {
  const unknown = say(locale, { zh: "未知（没有价格）", en: "not known (no price)" });
  const show = (value: number | null): string => (value === null ? unknown : `$${value.toFixed(4)}`);
  if (judge === 0) return show(cost);
  return `${show(cost)}${separators[locale]}${say(locale, { zh: "评判", en: "judge" })} ${show(judge)}`;
}

function renderComparison(comparison: Comparison, locale: Locale): string[] {
  const { lost, won, cases } = comparison;
  const showPoints = (value: number | null): string =>
    value === null ? say(locale, notMeasured) : `${value >= 0 ? "+" : "−"}${Math.abs(value * 100).toFixed(1)}`;
  const change = (value: number | null): string => (value === null ? say(locale, notMeasured) : toChange(value));
  const list = (ids: readonly string[]): string =>
    ids.length === 0 ? "0" : `${ids.length} (${ids.slice(0, 10).join(", ")}${ids.length > 10 ? ", …" : ""})`;
  const p = comparison.p < 0.001 ? "p < 0.001" : `p = ${comparison.p.toFixed(3)}`;
  const name = `${comparison.pair} / ${comparison.prompts}`;
  return [
    say(locale, {
      zh: `与基线相比：${name}（基线：${comparison.baseline}）`,
      en: `against the baseline: ${name} (then ${comparison.baseline})`,
    }),
    say(locale, {
      zh: `  共同的用例：${cases.shared}（这里 ${cases.now}，基线 ${cases.baseline}），只比较它们`,
      en: `  cases in common: ${cases.shared} (${cases.now} here, ${cases.baseline} in the baseline); only these are compared`,
    }),
    say(locale, {
      zh: `  百分点：成功 ${showPoints(comparison.success)}，工具选择 ${showPoints(comparison.tool_choice)}，参数 ${showPoints(comparison.arguments)}`,
      en: `  points: success ${showPoints(comparison.success)}, tool choice ${showPoints(comparison.tool_choice)}, arguments ${showPoints(comparison.arguments)}`,
    }),
    say(locale, {
      zh: `  每次：token ${change(comparison.tokens_per_attempt)}，费用 ${change(comparison.cost_per_attempt)}，首段文字 ${change(comparison.first_text_median)}`,
      en: `  per attempt: tokens ${change(comparison.tokens_per_attempt)}, cost ${change(comparison.cost_per_attempt)}, first text ${change(comparison.first_text_median)}`,
    }),
    say(locale, {
      zh: `  变差的用例：${list(lost)}；变好的：${list(won)}；${p}`,
      en: `  cases lost: ${list(lost)}; won: ${list(won)}; ${p}`,
    }),
    ...(comparison.is_worse
      ? [say(locale, { zh: "  ✗ 成功率低于基线", en: "  ✗ the success rate is below the baseline" })]
      : []),
  ];
}

function renderEnd(
  { attempts, complete, stopped_by, rows, cases, repeat }: Report,
  refusals: readonly Text[],
  locale: Locale,
): string[] {
  const shown = refusals.slice(0, 5);
  const more = refusals.length - shown.length;
  const reasons: Readonly<Record<string, Text>> = {
    budget: { zh: "预算用完", en: "the budget is used up" },
    signal: { zh: "被中断", en: "it was interrupted" },
  };
  const reason = reasons[stopped_by ?? ""];
  return [
    ...shown.map((text) => `✗ ${say(locale, text)}`),
    ...(more > 0
      ? [
          say(locale, {
            zh: `✗ 另有 ${more} 个请求不在录制中`,
            en: `✗ ${formatCount(more, "more request")} that the recording does not hold`,
          }),
        ]
      : []),
    ...(complete
      ? []
      : [
          say(locale, {
            zh: `只完成了 ${attempts.length} 次${reason ? `（${reason.zh}），--resume 可继续` : ""}`,
            en: `only ${formatCount(attempts.length, "attempt was", "attempts were")} made${reason ? ` (${reason.en}); --resume goes on` : ""}`,
          }),
        ]),
    say(locale, {
      zh: `${cases} 个用例，重复 ${repeat} 次，${rows.length} 行；方括号内是 95 % 的 Wilson 区间`,
      en: `${formatCount(cases, "case")}, ${formatCount(repeat, "time")} each, ${formatCount(rows.length, "row")}; in brackets the Wilson interval for 95 %`,
    }),
  ];
}

function toPercent(value: number): string {
  return `${(value * 100).toFixed(1)} %`;
}

function toChange(value: number): string {
  return `${value >= 0 ? "+" : "−"}${Math.abs(value * 100).toFixed(1)} %`;
}

function toTime(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(2)} s`;
}

function toCount(count: number): string {
  return count.toLocaleString("en");
}
