import { toModelName } from "../../core/model.ts";
import type { Text } from "../../kit/locale.ts";
import type { Observation } from "../loop/act.ts";
import type { DecideResult } from "../loop/decide-result.ts";
import { countResults, explainReason } from "../loop/explain-verdict.ts";
import { isEarlyEnd } from "../loop/stop-reason.ts";
import { hasOneModel, type Run } from "../run.ts";

/** What an answer is to be written from. */
export interface AnswerInput {
  prompt: "answer" | "chat";
  /** Why the answer is written now, for the reader. */
  reason: Text;
  observations: readonly Observation[];
  /** What the model must know beside the results. */
  note?: Text | undefined;
}

/** The brief after deciding and acting: which model takes over and why, and what may be missing. */
export function createAnswerInput(run: Run, { observations, reason, custom }: DecideResult): AnswerInput {
  const results = countResults(observations);
  const cause = explainReason(reason, { limits: run.limits, results, custom });
  const [from, to] = [toModelName(run.models.functionCall), toModelName(run.models.answer)];
  const change = hasOneModel(run.models)
    ? { zh: "生成最终回答", en: "writing the answer" }
    : { zh: `由 ${from} 切换到 ${to} 生成最终回答`, en: `switching from ${from} to ${to} to write the answer` };
  return {
    prompt: "answer",
    reason: { zh: `${cause.zh}，${change.zh}`, en: `${cause.en}; ${change.en}` },
    observations,
    note: isEarlyEnd(reason) || results === "failed" ? missing(cause) : undefined,
  };
}

function missing(cause: Text): Text {
  return {
    zh: `说明：工具调用提前结束（${cause.zh}）。先回答已经能够确定的内容，再说明还缺少什么。`,
    en: `Note: the tool calls ended early (${cause.en}). Answer what can be answered, then say what is still missing.`,
  };
}
