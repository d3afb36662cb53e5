import { createInterface } from "node:readline";
import { setImmediate } from "node:timers/promises";
import type { ConfirmPlan } from "../app.ts";
import { type Locale, say } from "../core/locale.ts";
import { planList } from "../core/plan-lines.ts";
import { readPlanReply } from "../core/plan-reply.ts";
import { type Console, writeSafely } from "./console.ts";
import { type TypedLines, takeLines } from "./typed-lines.ts";

export interface ConfirmOptions {
  locale: Locale;
  /** Asks and gives the line that was typed; undefined when there is nobody to type. Rejects when the signal aborts. */
  ask(query: string, signal: AbortSignal): Promise<string | undefined>;
  /** Shows a line where the question stands. */
  write(line: string): void;
  /** Whether the plan is to be shown with the question, as nothing else shows it. */
  showsPlan: boolean;
  /** `/exit` was typed: a no, and more. */
  leave?(): void;
}

/**
 * Asks at a terminal whether a plan is to be carried out. The end of the input and `/exit` are a no; an empty line and
 * any other command are asked again.
 */
export function createConfirmPlan({ locale, ask, write, showsPlan, leave }: ConfirmOptions): ConfirmPlan {
  const query = say(locale, { zh: "确认执行？[y/n/修改意见] ", en: "Carry it out? [y/n/what to change] " });
  const wanted = say(locale, {
    zh: "这里不接受命令：请输入 y、n 或修改意见；/exit 取消计划并退出。",
    en: "No command is taken here: type y, n or what to change; /exit drops the plan and leaves.",
  });

  async function askOnce(signal: AbortSignal): Promise<string | undefined> {
    let line: string | undefined;
    try {
      line = await ask(query, signal);
    } finally {
      // No Enter has ended the line of the question.
      if (line === undefined) write("");
    }
    return line;
  }

  return async (steps, signal) => {
    // The plan has been told as an event, and is on the screen once that has been read.
    await setImmediate();
    if (showsPlan) for (const line of planList(steps, locale)) write(line);
    for (;;) {
      const line = (await askOnce(signal))?.trim();
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

/** Whether there is somebody at a terminal who sees a question and can type. */
export function canBeAsked({ stdin, stderr }: Console): boolean {
  return stdin.isTTY === true && stderr.isTTY === true;
}

/** Asks on stderr what is typed on stdin; the terminal itself edits the line, and its Ctrl-C interrupts the program. */
export interface TerminalQuestions {
  /** Takes what is typed from now on, so that a line from before a question is never its reply. */
  listen(): void;
  ask(query: string, signal: AbortSignal): Promise<string | undefined>;
  close(): void;
}

/** Leaves stdin alone until it is to listen; whoever opens it closes it. */
export function openTerminalQuestions({ stdin, stderr }: Console): TerminalQuestions {
  let close: (() => void) | undefined;
  let lines: TypedLines | undefined;

  function listen(): TypedLines {
    if (lines) return lines;
    const input = createInterface({ input: stdin, terminal: false });
    close = () => input.close();
    lines = takeLines(input);
    return lines;
  }

  return {
    listen: () => void listen(),
    async ask(query, signal) {
      const typed = listen();
      // Whatever is on its way from the terminal was typed before the question.
      for (let turns = 0; turns < 2; turns++) await setImmediate();
      writeSafely(stderr, query);
      return typed.fresh(signal);
    },
    close: () => close?.(),
  };
}
