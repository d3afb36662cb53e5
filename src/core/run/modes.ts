/** Lists the modes of a run. The schema of outcomes is not needed to know them, and takes a start of the program milliseconds. */
export const modes = ["agent", "plan", "chat"] as const;
