import { inspect } from "node:util";
import { notAllowedError } from "../config/config-errors.ts";
import type { DuetError } from "../kit/errors.ts";
import type { Text } from "../kit/locale.ts";

/** Returns the one-line error with which an option of an embedding program is refused. `where` names the option. */
export function optionError(where: string, value: unknown, allowed: Text): DuetError {
  const shown = typeof value === "string" ? JSON.stringify(value) : inspect(value, { depth: 0 });
  return notAllowedError(where, shown.slice(0, 80), allowed);
}
