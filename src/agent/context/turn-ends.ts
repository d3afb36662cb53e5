import type { Text } from "../../kit/locale.ts";

/** Says how a run ended that did not answer its question in full. */
export type TurnEnd =
  | { status: "cancelled" }
  | { status: "interrupted" }
  /** `why` is a clause. */
  | { status: "failed" | "partial"; why: Text };

/**
 * Returns the line with which an answer ends that is not complete, for the models of the next turns and for everybody who reads the
 * conversation. `hasText` says whether something was written before it.
 */
export function describeTurnEnd(end: TurnEnd, hasText: boolean): Text {
  if (end.status === "cancelled") return hasText ? stoppedHere : stoppedBefore;
  if (end.status === "interrupted") return hasText ? interruptedHere : interruptedBefore;
  const { zh, en } = end.why;
  if (hasText)
    return { zh: `（回答到此为止，没有写完：${zh}）`, en: `(The answer ends here and is not complete: ${en})` };
  return { zh: `（运行失败，没有得到回答：${zh}）`, en: `(The run failed before there was an answer: ${en})` };
}

const stoppedHere: Text = { zh: "（用户在此停止了回答。）", en: "(The user stopped the answer here.)" };

const stoppedBefore: Text = {
  zh: "（用户停止了这次运行，还没有回答。）",
  en: "(The user stopped the run before there was an answer.)",
};

const interruptedHere: Text = {
  zh: "（程序在此意外结束，回答没有写完。）",
  en: "(The program ended unexpectedly here; the answer is not complete.)",
};

const interruptedBefore: Text = {
  zh: "（程序意外结束，这次运行没有得到回答。）",
  en: "(The program ended unexpectedly during the run, before there was an answer.)",
};
