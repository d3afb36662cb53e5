import { setImmediate } from "node:timers/promises";
import type { ConfirmPlan } from "../../agent/plan/plan-policy.ts";
import { readPlanReply } from "../../core/questions/plan-reply.ts";
import { say } from "../../kit/locale.ts";
import { renderPlan } from "../../render/plan-lines.ts";
import { askLine, type Reader } from "./reader.ts";

export interface ConfirmOptions extends Reader {
  /** Is true when the plan has to be shown with the question, because nothing else shows it. */
  showsPlan: boolean;
}

/**
 * Asks at a terminal whether a plan is to be carried out. The end of the input and `/exit` are a no; an empty line and
 * any other command are asked again.
 */
export function createConfirmPlan({ showsPlan, ...reader }: ConfirmOptions): ConfirmPlan {
  const { locale, write, leave } = reader;
  const query = say(locale, { zh: "确认执行？[y/n/修改意见] ", en: "Run the plan? [y/n/what to change] " });
  const wanted = say(locale, {
    zh: "这里不接受命令：请输入 y、n 或修改意见；/exit 取消计划并退出。",
    en: "Commands do not work here: type y, n or what to change; /exit cancels the plan and exits.",
  });

  return async (steps, signal) => {
    // The plan has been told as an event, and is on the screen once that has been read.
    await setImmediate();
    if (showsPlan) for (const line of renderPlan(steps, locale)) write(line);
    for (;;) {
      const line = (await askLine(reader, query, signal))?.trim();
      if (line === undefined) return { reply: "no" };
      if (line.toLowerCase() === "/exit") {
        leave?.();
        return { reply: "no" };
      }
      const reply = line.startsWith("/") ? undefined : readPlanReply(line);
      if (reply) return reply;
      if (line !== "") write(wanted);
    }
  };
}
