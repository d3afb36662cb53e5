import type { Spend } from "../store/daily-usage.ts";
import type { Usage } from "./model.ts";
import type { TurnReservation } from "./turn-charge.ts";

/** Limits what the model turns of one caller use together, in all its runs. */
export interface TurnBudget {
  /**
   * Reserves what a turn may use, before it begins. Waits while turns that go on may use up what is left. Rejects with a
   * `DuetError` (`quota`) when nothing is left, and with the signal's reason when it aborts first.
   */
  reserve(turn: WantedTurn): Promise<TurnReservation>;
}

/** Counts what all that belongs to a run has used, also what comes from others. */
export interface DayBudget extends TurnBudget {
  /** Reserves nothing, and counts what agents of other programs have billed. */
  openBill(): TurnReservation;
}

export interface WantedTurn {
  /** Names the run of the turn, if it is one of a run. */
  runId?: string | undefined;
  /** Is the most that the turn is expected to use. */
  spend: Spend;
  /** Is how long the turn may take, in milliseconds. */
  lastsMs: number;
  signal: AbortSignal;
}

/** Holds what model calls beside the turns of a run have used. */
export interface AsideBill {
  usage: Usage;
  elapsedMs: number;
  /** Holds the cost of each attempt in US dollars, and null where it is not known. */
  costs: readonly (number | null)[];
}

/** Charges the texts that are written for a server during a call to the run of the call. */
export interface TextBilling {
  /** Limits these texts. There is no limit when it is absent. */
  readonly budget?: TurnBudget | undefined;
  charge(bill: AsideBill): void;
}
