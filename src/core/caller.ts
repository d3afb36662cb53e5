/** Identifies who calls, as far as an interface knows. The data of one caller does not exist for another. */
export interface Caller {
  /** Is absent for the operator, who owns everything that the terminal stores. */
  readonly owner?: string | undefined;
  /** Lists patterns of the tools that the caller may use, directly or through the agent. All are allowed when absent. */
  readonly tools?: readonly string[] | undefined;
}

/** The operator is whoever runs Duet: the terminal, stdio, and HTTP without sign-in. */
export const operator: Caller = {};
