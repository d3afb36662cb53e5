import { unusable } from "../client/unusable.ts";
import type { DuetError } from "../core/errors.ts";
import { type Text, withoutPrefix } from "../core/locale.ts";

/** Why a server cannot be used, for a line that has named the server already. */
export function serverFailure(name: string, { text }: DuetError): Text {
  return withoutPrefix(text, unusable(name));
}
