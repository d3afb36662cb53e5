import type { Spend } from "../store/daily-usage.ts";

/** Is what a turn may use, kept for it while it goes on. */
export interface TurnReservation {
  /** Names it in the store. */
  readonly id: string;
  /** Ends the reservation and counts what the turn has used. Never rejects. */
  settle(used: Spend): Promise<void>;
  /**
   * Ends the reservation with `recording`, which has ended it in the store, has counted there what the turn used, and resolves with what
   * the caller has used today, where that is known. Rejects as `recording` does; then nothing is counted, and `settle` is still to be called.
   */
  settleWith(used: Spend, recording: Promise<Spend | undefined>): Promise<void>;
}

/** Is what a model turn that has ended is charged for. It is counted once: with the record of the turn, or by itself. */
export interface TurnCharge {
  reservation: TurnReservation;
  used: Spend;
}
