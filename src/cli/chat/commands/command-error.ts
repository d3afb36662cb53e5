import { DuetError } from "../../../kit/errors.ts";
import type { Text } from "../../../kit/locale.ts";

/** Returns the error for an invalid argument: its text shows the value, and its hint what is allowed. */
export function commandError(text: Text, hint?: Text): DuetError {
  return new DuetError({ code: "invalid_request", text, hint });
}
