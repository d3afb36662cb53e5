import { describeUnusable } from "../../client/unusable-server.ts";
import type { DuetError } from "../../kit/errors.ts";
import { removePrefix, type Text } from "../../kit/locale.ts";

/** Why a server cannot be used, for a line that has named the server already. */
export function describeServerFailure(name: string, { text }: DuetError): Text {
  return removePrefix(text, describeUnusable(name));
}
