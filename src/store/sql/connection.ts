import type { Work } from "./work.ts";

/** Is how long a run waits for a database that cannot be reached, in milliseconds. */
export const longestOutageMs = 900_000;

/** Runs transactions on the store's database. */
export interface StoreConnection {
  /** Limits how long a transaction goes on reading, in milliseconds. What takes longer is read in several. */
  readonly sliceMs: number;
  /** Runs one transaction on a consistent snapshot. Rejects with a `DuetError`. */
  read<T>(work: StoreWork<T>): Promise<T>;
  /** Runs one transaction that is stored completely or not at all. `work` may be called again, so it must be repeatable. */
  write<T>(work: StoreWork<T>): Promise<T>;
  /** Does the same for work that each run brings: an engine may store together what several runs write at once. */
  writeGrouped<T>(work: StoreWork<T>): Promise<T>;
}

export type StoreWork<T> = () => Work<T>;
