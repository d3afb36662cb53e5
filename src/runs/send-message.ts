import { longestMessage, mostMessages } from "../core/run/message-limits.ts";
import { DuetError } from "../kit/errors.ts";
import type { Text } from "../kit/locale.ts";
import type { RunHandle } from "./live/run-handle.ts";

/** Says why the models of a run will not read a message. */
export interface UndeliveredReason {
  readonly text: Text;
  /** Is true where the run reads nothing more; false where it takes no more messages, or none of this length. */
  readonly isLate: boolean;
}

/**
 * Sends a message to a run. Returns why it cannot be delivered, and undefined where the models will read it. Rejects with `overloaded`
 * where the run is another process's, which does not answer.
 */
export async function sendMessage(run: RunHandle | undefined, text: string): Promise<UndeliveredReason | undefined> {
  if (run === undefined || run.outcome !== undefined) return { text: texts.over, isLate: true };
  const delivery = await run.inbox.send(text);
  if (delivery === undefined) throw unheardError();
  return delivery === "next_step" ? undefined : { text: texts[delivery], isLate: delivery === "after_run" };
}

function unheardError(): DuetError {
  return new DuetError({
    code: "overloaded",
    text: {
      zh: "执行这次运行的进程没有回应，消息没有转达。",
      en: "The process of the run does not answer, so the message is not passed on.",
    },
    hint: { zh: "请稍后重发。", en: "Send it again in a moment." },
    retryAfterMs: 1_000,
  });
}

const texts = {
  over: {
    zh: "这次运行已经结束：请作为同一对话的下一个问题提出。",
    en: "The run is over: ask it as the next question of the conversation.",
  },
  after_run: {
    zh: "回答正在书写，不再转达：请在运行结束后作为下一个问题提出。",
    en: "The answer is being written, so it is not passed on: ask it as the next question when the run has ended.",
  },
  refused: {
    zh: `一次运行最多接收 ${mostMessages} 条消息，每条最多 ${longestMessage} 个字符。`,
    en: `A run takes at most ${mostMessages} messages of at most ${longestMessage} characters each.`,
  },
};
