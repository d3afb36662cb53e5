/** Stores what the operator types in the chat: the last 1,000 texts of all processes that share the store. */
export interface TypedHistory {
  /** Returns the texts, the oldest first. */
  list(): Promise<string[]>;
  /**
   * Adds texts as the newest ones. A function is called while no other process can add any, and again when the store has to be
   * written again.
   */
  add(texts: readonly string[] | (() => readonly string[])): Promise<void>;
}

/** Limits how many typed texts are kept. */
export const mostTypedTexts = 1_000;
