import type { TurnCharge } from "../../core/model/turn-charge.ts";
import { addSpend, noSpend, type Spend, type StepUsage } from "../../core/store/daily-usage.ts";

/** Returns what a step records of its charges, so that they are counted with it; undefined where there are none. */
export function toStepUsage(charges: readonly TurnCharge[]): StepUsage | undefined {
  if (charges.length === 0) return undefined;
  return {
    used: charges.map(({ used }) => used).reduce(addSpend, noSpend),
    reservations: charges.map(({ reservation }) => reservation.id),
  };
}

/**
 * Counts charges that no step records. Where another process goes on with the run, nothing is counted: that one asks the model again.
 */
export async function settleCharges(charges: readonly TurnCharge[], isElsewhere: boolean): Promise<void> {
  await Promise.all(charges.map(({ reservation, used }) => reservation.settle(isElsewhere ? noSpend : used)));
}

/** Resolves when what `recording` counts is known. Rejects as `recording` does, and then nothing is counted. */
export async function settleWithStep(
  charges: readonly TurnCharge[],
  recording: Promise<Spend | undefined>,
): Promise<void> {
  await Promise.all(charges.map(({ reservation, used }) => reservation.settleWith(used, recording)));
}
