import { createRandomHex } from "../../kit/random.ts";

/** Returns `run-…` or `conv-…` with 122 random bits, so that ids cannot be guessed. */
export function createId(prefix: "run" | "conv"): string {
  return `${prefix}-${createRandomHex()}`;
}
