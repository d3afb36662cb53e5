import type { TurnCharge } from "../../core/model/turn-charge.ts";
import type { Run } from "../run.ts";

/** Returns what other agents have billed since the last time, which is counted for the day of the caller. */
export function takeAgentCharges({ state, services: { budget } }: Run): TurnCharge[] {
  const used = state.subAgents.takeUncounted();
  if (budget === undefined || (used.tokens <= 0 && used.cost <= 0)) return [];
  return [{ reservation: budget.openBill(), used }];
}
