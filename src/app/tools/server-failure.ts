import { describeUnusable } from "../../client/unusable-server.ts";
import { type DuetError, removePrefix, type Text } from "../../kit/errors.ts";

/** Why a server cannot be used, for a line that has named the server already. */
export function describeServerFailure(name: string, { text }: DuetError): Text {
  return removePrefix(text, describeUnusable(name));
}
