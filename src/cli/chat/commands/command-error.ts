import { DuetError, type Text } from "../../../kit/errors.ts";

/** What a command throws at an argument that it cannot take: the value, and as its hint what is allowed. */
export function commandError(text: Text, hint?: Text): DuetError {
  return new DuetError({ code: "invalid_request", text, hint });
}
