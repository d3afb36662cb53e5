import { longestMessage, mostMessages } from "../core/run-inbox.ts";
import type { Text } from "../kit/locale.ts";
import type { RunHandle } from "./run-handle.ts";

/** Sends a message to a run. Returns why it cannot be delivered, and undefined where the models will read it. */
export function sendMessage(run: RunHandle | undefined, text: string): Text | undefined {
  if (run === undefined || run.outcome !== undefined) return texts.over;
  const delivery = run.inbox.send(text);
  return delivery === "next_step" ? undefined : texts[delivery];
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
