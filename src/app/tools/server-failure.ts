import { describeUnusable } from "../../client/unusable-server.ts";
import { type DuetError, removePrefix, type Text } from "../../kit/errors.ts";

/** Explains why a server cannot be used, for a line that has already named the server. */
export function describeServerFailure(name: string, { text }: DuetError): Text {
  return removePrefix(text, describeUnusable(name));
}
