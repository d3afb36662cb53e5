import { describeUnusable } from "../../client/unusable-server.ts";
import type { DuetError } from "../../kit/errors.ts";
import { removePrefix, type Text } from "../../kit/locale.ts";

/** Explains why a server cannot be used, for a line that has already named the server. */
export function describeServerFailure(name: string, { text }: DuetError): Text {
  return removePrefix(text, describeUnusable(name));
}
