import { createInterface } from "node:readline";
import { setImmediate } from "node:timers/promises";
import type { ConfirmPlan } from "../app.ts";
import { type Locale, say } from "../core/locale.ts";
import { planList } from "../core/plan-lines.ts";
import { readPlanReply } from "../core/plan-reply.ts";
import { type Console, writeSafely } from "./console.ts";
import { takeLines } from "./typed-lines.ts";

export interface ConfirmOptions {
  locale: Locale;
  /** Asks and gives the line that was typed; undefined when there is nobody to type. Rejects when the signal aborts. */
  ask(query: string, signal: AbortSignal): Promise<string | undefined>;
  /** Shows a line, where nothing else shows the plan. */
  write?: ((line: string) => void) | undefined;
}

/** Asks at a terminal whether a plan is to be carried out. The end of the input is a no; an empty line is asked again. */
export function createConfirmPlan({ locale, ask, write }: ConfirmOptions): ConfirmPlan {
  const query = say(locale, { zh: "确认执行？[y/n/修改意见] ", en: "Carry it out? [y/n/what to change] " });
  return async (steps, signal) => {
    // The plan has been told as an event, and is on the screen once that has been read.
    await setImmediate();
    if (write) for (const line of planList(steps, locale)) write(line);
    for (;;) {
      const line = await ask(query, signal);
      if (line === undefined) return { reply: "no" };
      const reply = readPlanReply(line);
      if (reply) return reply;
    }
  };
}

/** Whether there is somebody at a terminal who sees a question and can type. */
export function canBeAsked({ stdin, stderr }: Console): boolean {
  return stdin.isTTY === true && stderr.isTTY === true;
}

/** Asks one line on stderr; the terminal itself edits it, and its Ctrl-C interrupts the program. */
export async function askOnTerminal(console: Console, query: string, signal: AbortSignal): Promise<string | undefined> {
  const input = createInterface({ input: console.stdin, terminal: false });
  const lines = takeLines(input);
  writeSafely(console.stderr, query);
  try {
    return await lines.fresh(signal);
  } finally {
    input.close();
  }
}
