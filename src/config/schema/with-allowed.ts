import type { Text } from "../../kit/locale.ts";

/** Adds the allowed values to a `refine`. They are stored in the issue, where `check-source.ts` reads them. */
export function withAllowed(allowed: Text): { params: { allowed: Text } } {
  return { params: { allowed } };
}
