import type { LimitRow } from "../../core/limits/limit-row.ts";
import { stoppingLimits } from "../../core/limits/limits.ts";
import { canAskUser } from "../../core/questions/user.ts";
import type { UserReply } from "../../core/questions/user-question.ts";
import type { Verdict } from "../../core/run/verdict.ts";
import type { Run } from "../run.ts";
import { getCeiling, isGivenFromAbove, toSettingName } from "./name-limit.ts";
import type { Limits } from "./run-clock.ts";

/**
 * Asks a person whether a run goes on that has reached a limit, where the configuration says so. A yes adds the limit once more.
 * Returns false for everything else, with which the run ends as it does without the question.
 */
export async function askForMore(run: Run, reason: Verdict["reason"]): Promise<boolean> {
  const { input, state, services } = run;
  const { limits, allowance } = input;
  const { user, clock, record } = services;
  if (limits.onLimit !== "ask" || !canAskUser(user, "limit")) return false;
  const wanted = reason === "calls-used" ? "tool-call-limit" : reason;
  const row = stoppingLimits.find(({ stop }) => stop.reason === wanted);
  const value = row && limits[row.field];
  if (row === undefined || value === undefined || isGivenFromAbove(run, row.key)) return false;
  if (state.finalLimits.has(row.key) || isLowered(limits, row.field)) return false;
  const most = getCeiling(limits, row.field);
  if (value >= most) return false;
  const { factor = 1 }: LimitRow = row;
  const question = { kind: "limit", setting: toSettingName(limits, row), value: value / factor } as const;
  const reply = await record.ask({
    name: `limit:${row.key}:${value}`,
    isAnswer: isLimitReply,
    ask: () => user.ask(question, clock.callerSignal),
  });
  if (reply !== "go_on") {
    state.finalLimits.add(row.key);
    return false;
  }
  limits[row.field] = Math.min(most, value + (allowance[row.field] ?? value));
  limits.asked = limits.asked?.filter((field) => field !== row.field);
  return true;
}

/** A budget of a conversation or of a day is not raised by a run. */
function isLowered({ sources }: Limits, field: string): boolean {
  return sources !== undefined && Object.hasOwn(sources, field);
}

function isLimitReply(value: unknown): value is UserReply<"limit"> {
  return value === "go_on" || value === "stop";
}

/** Is how much longer than its time limit an answer may be written, in milliseconds. */
const finishMs = 600_000;

/** Has the clock ask before the time of the run ends, and lets an answer that has begun be finished, where these are wanted. */
export function holdTimeUp(run: Run): void {
  const { clock } = run.services;
  const { finishAnswer, onLimit } = run.input.limits;
  let isFinishing = false;
  if (!finishAnswer && onLimit !== "ask") return;
  clock.holdUp((of) => {
    const hasBegun = run.state.answer.written.trim() !== "";
    if (of === "decide" && hasBegun) return undefined;
    if (of === "answer" && finishAnswer && hasBegun) {
      if (isFinishing) return undefined;
      isFinishing = true;
      return Promise.resolve(finishMs);
    }
    if (onLimit !== "ask" || !canAskUser(run.services.user, "limit")) return undefined;
    const { limits } = run.input;
    const before = limits.maxExecutionTimeMs;
    return askForMore(run, "time-limit").then(() => limits.maxExecutionTimeMs - before);
  });
}
