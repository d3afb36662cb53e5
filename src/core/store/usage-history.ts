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

/** Sums up what all callers have used in a day of one model, or one caller of all models. */
export interface UsageTotal {
  day: string;
  /** Is the model or the owner; undefined for the operator, and for all those that are not named. */
  name: string | undefined;
  /** Is true for all those together that are not among the first. */
  isRest: boolean;
  tokens: number;
  cost: number;
  /** Is false where the price of something is not known. */
  isPriced: boolean;
}

/** Is one page of a list. */
interface UsagePage {
  limit: number;
  offset: number;
}

/** Keeps for the operator what all callers have used, for 90 days, in all processes that share the store. */
export interface UsageHistory {
  add(entries: readonly UsageEntry[]): Promise<void>;
  /** Lists the entries from a day on, the newest day first and those of a day from the last caller and model to the first. */
  list(since: string, page: UsagePage): Promise<UsageEntry[]>;
  /**
   * Sums up the entries from a day on, the oldest day of each name first. As many names as `most` stand for themselves, those with the
   * highest cost and then with the most tokens first; all others are one more.
   */
  total(since: string, by: UsageName, most: number): Promise<UsageTotal[]>;
}

export type UsageName = "model" | "owner";

/** Is how long the history goes back, in days. */
export const keptUsageDays = 90;
