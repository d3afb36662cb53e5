import type { Text } from "../../kit/locale.ts";
import { formatCount } from "../../kit/text/format-count.ts";
import { sanitizeLine } from "../../kit/text/sanitize.ts";
import { truncate } from "../../kit/text/truncate.ts";
import { explainCallsUsed } from "../limits/describe-limit.ts";
import { describeDelivered } from "../run/message-delivered.ts";
import type { Outcome } from "../run/outcome.ts";
import { defineNotice } from "./define-notice.ts";

const answerWritten: Text = { zh: "回答已经写好", en: "the answer was already written" };

/** Says why a run that ended so took no further step. */
const undeliveredReasons: Readonly<Record<Outcome["status"], Text>> = {
  complete: answerWritten,
  partial: answerWritten,
  needs_confirmation: { zh: "运行在等待确认", en: "the run waits for a confirmation" },
  running: { zh: "这次运行没有下一步", en: "the run took no further step" },
  cancelled: { zh: "运行已取消", en: "the run was cancelled" },
  failed: { zh: "运行失败了", en: "the run failed" },
};

/** Lists the notices about how a run goes on and ends, and about the messages and files that it gets. */
export const runNotices = {
  /** `lastAt` is when the last step was recorded: ISO 8601, UTC. */
  runResumed: defineNotice("run-resumed", {
    level: "info",
    isInResult: true,
    text: (lastAt: string) => ({
      zh: `程序曾意外结束，或失去了联系；这次运行从 ${toSecond(lastAt)} 的记录继续，已完成的步骤没有重做。`,
      en: `The program ended unexpectedly, or was cut off; this run goes on from its records of ${toSecond(lastAt)}. Finished steps are not repeated.`,
    }),
  }),
  /** Is told where the earlier process was told to end and handed the run over. */
  runHandedOver: defineNotice("run-handed-over", {
    level: "info",
    isInResult: false,
    text: () => ({
      zh: "原来的进程正常退出，已把这次运行移交给另一个进程继续；已完成的步骤没有重做。",
      en: "The process of this run was told to end and handed it over to another one, which goes on. Finished steps are not repeated.",
    }),
  }),
  /** Is told where the server has cancelled the run at its own end. Nobody knows what the calls did that it has `cut` off. */
  serverEnded: defineNotice("server-ended", {
    level: "warning",
    isInResult: true,
    text({ finished, unclear }: { finished: number; unclear: number }) {
      const done = {
        zh: finished === 0 ? "" : `已完成 ${finished} 次工具调用，其效果不会撤销；`,
        en: finished === 0 ? "" : `What its ${formatCount(finished, "finished tool call")} did stays done. `,
      };
      const open = {
        zh: unclear === 0 ? "" : `有 ${unclear} 次工具调用可能已经生效；`,
        en: unclear === 0 ? "" : `${formatCount(unclear, "tool call")} may have taken effect. `,
      };
      const isUntouched = finished + unclear === 0;
      return {
        zh: `服务器正在关闭，已取消这次运行。${done.zh}${open.zh}${isUntouched ? "请再问一次。" : "请先确认做了什么，再重新提问。"}`,
        en: `The server is closing and has cancelled this run. ${done.en}${open.en}${isUntouched ? "Ask again." : "Check that before you ask again."}`,
      };
    },
  }),
  /** Is told where the user wanted a run to go on that had reached a limit, and none could be begun, or its plan was not wanted. */
  notGoneOn: defineNotice("not-gone-on", {
    level: "warning",
    isInResult: true,
    text: (why: Text) => ({ zh: `没有继续：${why.zh}`, en: `Did not go on: ${why.en}` }),
  }),
  /** Is told where a run has answered from all the calls that it may make. */
  callsUsed: defineNotice("calls-used", {
    level: "info",
    isInResult: true,
    text: (limit: NonNullable<Outcome["limit"]>) => explainCallsUsed(limit),
  }),
  planUnusable: defineNotice("plan-unusable", {
    level: "warning",
    isInResult: true,
    text: (which: "first" | "next") =>
      which === "first"
        ? {
            zh: "模型没有给出可用的计划，改为逐步决定并执行。",
            en: "The model returned no usable plan; deciding step by step instead.",
          }
        : {
            zh: "模型没有给出可用的新计划，按原计划继续其余步骤。",
            en: "The model returned no usable new plan; continuing with the previous plan.",
          },
  }),
  budgetNearlyUsed: defineNotice("budget-nearly-used", {
    level: "warning",
    isInResult: true,
    text({ setting, used, most }: { setting: string; used: number; most: number }) {
      const share = Math.floor((100 * used) / most);
      return {
        zh: `预算 ${setting}（${most}）已用 ${share}%。`,
        en: `${share}% of the budget ${setting} (${most}) is used.`,
      };
    },
  }),
  priceUnknown: defineNotice("price-unknown", {
    level: "warning",
    isInResult: false,
    text: (model: string) => ({
      zh: `${model} 的价格未知，费用上限对它不起作用；可在 providers 中用 prices 设置。`,
      en: `The price of ${model} is unknown, so the cost budget does not include it; set it with prices under providers.`,
    }),
  }),
  /** Says why a file that came with the question is not part of it. */
  notAttached: defineNotice("not-attached", {
    level: "warning",
    isInResult: true,
    text: (why: Text) => ({ zh: `未附上：${why.zh}`, en: `Not attached: ${why.en}` }),
  }),
  messageDelivered: defineNotice("message-delivered", {
    level: "info",
    isInResult: false,
    text: describeDelivered,
  }),
  /** Is told where a run was over before the next step, in which the models would have read it. */
  messageUndelivered: defineNotice("message-undelivered", {
    level: "warning",
    isInResult: true,
    text({ said, status }: { said: string; status: Outcome["status"] }) {
      const shown = truncate(sanitizeLine(said), 500);
      const why = undeliveredReasons[status];
      return {
        zh: `没有转达，因为${why.zh}，请在下一个问题中提出：${shown}`,
        en: `Not passed on, because ${why.en}; ask it as the next question: ${shown}`,
      };
    },
  }),
};

/** Writes a moment for people, to the second. Takes ISO 8601, UTC. */
function toSecond(moment: string): string {
  return `${moment.slice(0, 19).replace("T", " ")} UTC`;
}
