import type { AnswerForm } from "../core/answer-form.ts";
import type { Outcome } from "../core/run/outcome.ts";
import { DuetError } from "../kit/errors.ts";
import { type Locale, say, type Text } from "../kit/locale.ts";
import { matchExpression } from "../kit/text/match-expression.ts";
import { isMatch } from "../kit/text/match-pattern.ts";
import type { AnswerCheck } from "./case-file.ts";
import type { Judge } from "./judge.ts";

export type CheckKind = "contains" | "lacks" | "matches" | "schema" | "citations" | "judge";

export interface CheckResult {
  kind: CheckKind;
  /** Is null where the judge gave no mark. */
  passed: boolean | null;
  /** Says what was missing, or why the judge gave its mark, or none. */
  detail?: string;
  /** Is the judge's mark, from 0 to 1. */
  mark?: number;
}

export interface CheckedAnswer extends Pick<Outcome, "response" | "citations" | "output"> {
  question: string;
  form: AnswerForm | undefined;
  /** Is the language of the details. */
  locale: Locale;
}

/** Runs the checks of a case on an answer. Rejects where the judge cannot be asked about any answer. */
export async function checkAnswer(
  checks: readonly AnswerCheck[],
  answer: CheckedAnswer,
  judge: Judge | undefined,
): Promise<CheckResult[]> {
  const results: CheckResult[] = [];
  // The judge is asked about one thing after the other, so that a recording has its requests in order.
  for (const check of checks) results.push(await runCheck(check, answer, judge));
  return results;
}

async function runCheck(check: AnswerCheck, answer: CheckedAnswer, judge: Judge | undefined): Promise<CheckResult> {
  const written = answer.response.toLowerCase();
  const isIn = (word: string): boolean => written.includes(word.toLowerCase());
  if ("contains" in check)
    return toResult(
      "contains",
      toList(check.contains).filter((word) => !isIn(word)),
    );
  if ("lacks" in check) return toResult("lacks", toList(check.lacks).filter(isIn));
  if ("matches" in check) {
    const found = matchExpression(check.matches, answer.response);
    const fault = found === undefined ? say(answer.locale, describeSlow(check.matches)) : check.matches;
    return toResult("matches", found === true ? [] : [fault]);
  }
  if ("schema" in check) {
    const reading = answer.form?.read(answer.response);
    const problems =
      reading !== undefined && "problems" in reading
        ? reading.problems.map((problem) => say(answer.locale, problem))
        : [];
    return toResult("schema", problems);
  }
  if ("citations" in check) {
    const urls = answer.citations.map(({ url }) => url);
    const missing = (check.citations.urls ?? []).filter((pattern) => !urls.some((url) => isMatch(url, pattern)));
    const isEnough = urls.length >= check.citations.atLeast;
    return toResult("citations", isEnough ? missing : [`${urls.length} < ${check.citations.atLeast}`, ...missing]);
  }
  const marked = await judge?.mark({ question: answer.question, answer: answer.response, rubric: check.judge });
  if (marked instanceof DuetError) return { kind: "judge", passed: null, detail: say(answer.locale, marked.text) };
  const { mark = 0, reason = "" } = marked ?? {};
  return { kind: "judge", passed: mark >= check.atLeast, detail: reason, mark };
}

function describeSlow(pattern: string): Text {
  return { zh: `查找时间过长：${pattern}`, en: `takes too long: ${pattern}` };
}

function toResult(kind: CheckKind, faults: readonly string[]): CheckResult {
  return faults.length === 0 ? { kind, passed: true } : { kind, passed: false, detail: faults.join("; ") };
}

function toList(value: string | readonly string[]): readonly string[] {
  return typeof value === "string" ? [value] : value;
}
