import { createRandomHex } from "../../kit/random.ts";

/** Holds 32 and 16 hexadecimal digits. */
export interface SpanIds {
  traceId: string;
  spanId: string;
}

/** Returns a random ID of a span. */
export function createSpanId(): string {
  return createRandomHex().slice(0, 16);
}
