import type { Config } from "../../config/config.ts";
import { toRunUnit } from "../../core/limits/limit-row.ts";
import { type LimitCeilings, offeredLimits } from "../../core/limits/limits.ts";
import { showValue } from "../../core/tools/argument-feedback.ts";
import { DuetError } from "../../kit/errors.ts";
import type { AskInput } from "../ask-schema.ts";

type CallerLimits = Config["serve"]["limits"];

/** Returns the most that a run of a caller may have, in the units of a run. */
export function readCeilings({ maxIterations, maxToolCalls, maxExecutionTime }: CallerLimits): LimitCeilings {
  const maxExecutionTimeMs = maxExecutionTime === undefined ? undefined : maxExecutionTime * 1000;
  return { maxIterations, maxToolCalls, maxExecutionTimeMs };
}

/** Throws `invalid_request` where a caller asks for more than `serve.limits` allows it. */
export function checkCeilings(input: AskInput, ceilings: LimitCeilings): void {
  for (const row of offeredLimits) {
    const most = row.field === "maxTokens" ? undefined : ceilings[row.field];
    const value = input[row.ask];
    if (most === undefined || value === undefined || toRunUnit(row, value) <= most) continue;
    const allowed = most / toRunUnit(row, 1);
    const shown = showValue(value);
    throw new DuetError({
      code: "invalid_request",
      text: {
        zh: `${row.ask}: 不能是 ${shown}（serve.limits.${row.key} 允许 ${allowed}）`,
        en: `${row.ask}: ${shown} is not allowed (serve.limits.${row.key} allows ${allowed})`,
      },
    });
  }
}
