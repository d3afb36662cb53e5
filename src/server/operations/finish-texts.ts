import type { Text } from "../../kit/locale.ts";

/** What the operator is told while the server ends. */
export const finishTexts = {
  waits: (count: number, seconds: number): Text => ({
    zh: `正在关闭：等待 ${count} 个运行结束，最多 ${seconds} 秒；再次发出信号则取消它们并在一秒内结束`,
    en: `closing: waiting up to ${seconds} s for ${runsOf(count)} to end; a second signal cancels what goes on and ends the process within a second`,
  }),
  hurries: { zh: "再次收到信号：不再等待", en: "a second signal: what goes on is not waited for any more" },
  givesUp: (count: number): Text => ({
    zh: `已取消 ${count} 个等待用户答复的运行`,
    en: `cancelled ${runsOf(count)} that waited for a person's reply`,
  }),
  cuts: (count: number): Text => ({
    zh: `已断开 ${count} 个没有发送完整的请求`,
    en: `cut ${count === 1 ? "1 request" : `${count} requests`} whose body had not come whole`,
  }),
  cancels: (count: number): Text => ({
    zh: `已取消 ${count} 个未结束的运行`,
    en: `cancelled ${runsOf(count)} that had not ended in time`,
  }),
};

function runsOf(count: number): string {
  return count === 1 ? "1 run" : `${count} runs`;
}
