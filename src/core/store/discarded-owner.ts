/**
 * Owns what has been taken away and may still be brought back. Everything is found by its owner, so nobody is shown it; no caller is
 * named like this.
 */
export const discardedOwner = "\u0001discarded";
