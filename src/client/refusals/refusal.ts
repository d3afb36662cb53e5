import type { ErrorCode } from "../../kit/errors.ts";
import type { Text } from "../../kit/locale.ts";

/** Why a service did not do what a tool asked of it. */
export interface ServiceRefusal {
  code: ErrorCode;
  /** What is wrong and what to do, in our own words; nothing of what the server said is in it. */
  text: Text;
  /** After how many milliseconds the same call may succeed; only where it is sure that nothing was done. */
  retryAfterMs?: number;
}
