import { isLimit, type Verdict } from "../../core/run/verdict.ts";
import { type DuetError, toDuetError } from "../../kit/errors.ts";
import { say } from "../../kit/locale.ts";
import type { Run } from "../run.ts";
import { countResults, explainOwnAnswer, explainVerdict } from "./explain-verdict.ts";
import type { DecideResult } from "./run-result.ts";

/** Says why it is time to answer. */
export function toDecideResult(run: Run, work: DecideResult): DecideResult {
  const verdict: Verdict = { verdict: "answer", reason: work.reason };
  const hasAnswered = work.answer?.finish === "stop";
  const {
    input: { limits, locale },
  } = run;
  const results = countResults(work.observations);
  const message = hasAnswered
    ? explainOwnAnswer(results, locale)
    : explainVerdict(verdict, { limits, locale, results, custom: work.custom });
  run.services.emit({ type: "evaluation", ...verdict, message });
  // The end of the run names a limit, once, with what raises it.
  const forLog = verdict.reason === "repetition" ? undefined : true;
  if (isLimit(verdict)) run.services.emit({ type: "notice", level: "warning", code: verdict.reason, message, forLog });
  return work;
}

/** Tells that the function-call model failed although there are results to answer from. */
export function reportModelFailure(run: Run, thrown: unknown): DuetError {
  const error = toDuetError(thrown);
  const message = say(run.input.locale, {
    zh: `工具调用模型出错，基于已有结果回答：${error.text.zh}`,
    en: `The function-call model failed; answering from the results so far: ${error.text.en}`,
  });
  run.services.emit({ type: "notice", level: "warning", code: "decide-failed", message });
  return error;
}
