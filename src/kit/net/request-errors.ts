import { DuetError } from "../errors.ts";
import type { Text } from "../locale.ts";
import { toShortLine } from "../text/sanitize.ts";

/** Returns the error for a request that was not sent. `where` comes first, on one line. */
export function refusedError(where: string, { zh, en }: Text): DuetError {
  const shown = toShortLine(where, 200);
  return new DuetError({
    code: "invalid_request",
    text: { zh: `没有访问 ${shown}：${zh}`, en: `${shown} was not contacted: ${en}` },
  });
}

/** Returns the error for a request that was sent and failed. It has no cause, because that may hold what was sent or read. */
export function failedRequestError(code: "network" | "bad_response", where: string, { zh, en }: Text): DuetError {
  const shown = toShortLine(where, 200);
  const text = { zh: `${shown}：${zh}`, en: `${shown}: ${en}` };
  return new DuetError({ code, text, retryable: code === "network" });
}
