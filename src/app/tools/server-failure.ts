import { unusable } from "../../client/unusable-server.ts";
import type { DuetError } from "../../kit/errors.ts";
import { type Text, withoutPrefix } from "../../kit/locale.ts";

/** Why a server cannot be used, for a line that has named the server already. */
export function serverFailure(name: string, { text }: DuetError): Text {
  return withoutPrefix(text, unusable(name));
}
