import { DuetError } from "../../../kit/errors.ts";
import type { Text } from "../../../kit/locale.ts";

/** What a command throws at an argument that it cannot take: the value, and as its hint what is allowed. */
export function commandError(text: Text, hint?: Text): DuetError {
  return new DuetError({ code: "invalid_request", text, hint });
}
