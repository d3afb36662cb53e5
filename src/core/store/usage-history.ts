/** Counts what one caller has used of one model in a day of UTC. */
export interface UsageEntry {
  /** Has the form `2026-11-26`. */
  day: string;
  /** Is `provider/model`. */
  model: string;
  /** Is undefined for the operator. */
  owner: string | undefined;
  runs: number;
  tokens: number;
  /** Sums up US dollars, as far as prices are known. */
  cost: number;
  /** Counts the runs of which the price is not known. */
  unpriced: number;
}

/** Keeps for the operator what all callers have used, for 90 days, in all processes that share the store. */
export interface UsageHistory {
  add(entries: readonly UsageEntry[]): Promise<void>;
  /** Lists the entries from a day on, the oldest first. */
  list(since: string): Promise<UsageEntry[]>;
}

/** Is how long the history goes back, in days. */
export const keptUsageDays = 90;
