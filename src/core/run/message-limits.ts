/** Limits what a person says to a run at once, in UTF-16 units. */
export const longestMessage = 10_000;

/** Limits the messages of one run. */
export const mostMessages = 20;
