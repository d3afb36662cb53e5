/** Who calls, as far as a face knows. What belongs to one caller is not there for another. */
export interface Caller {
  /** Absent for the operator, to whom belongs all that the terminal keeps. */
  readonly owner?: string | undefined;
  /** Patterns of the tools that the caller may use, by itself or through the agent; absent: all. */
  readonly tools?: readonly string[] | undefined;
}

/** Whoever runs Duet: the terminal, stdio, and HTTP without sign-in. */
export const operator: Caller = {};
