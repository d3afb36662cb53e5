/** Milliseconds that a test waits for an event; it ends a test whose event never comes, on however busy a machine. */
export const patienceMs = 60_000;
