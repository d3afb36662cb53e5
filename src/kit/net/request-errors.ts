import { DuetError } from "../errors.ts";
import type { Text } from "../locale.ts";
import { toShortLine } from "../text/short-line.ts";

/** What was not tried, and why. `where` is shown in front, on one line. */
export function refusedError(where: string, { zh, en }: Text): DuetError {
  const shown = toShortLine(where, 200);
  return new DuetError({
    code: "invalid_request",
    text: { zh: `没有访问 ${shown}：${zh}`, en: `${shown} was not contacted: ${en}` },
  });
}

/** What was tried and did not work. The cause is left out: it may hold what was sent or read. */
export function failedRequestError(code: "network" | "bad_response", where: string, { zh, en }: Text): DuetError {
  const shown = toShortLine(where, 200);
  const text = { zh: `${shown}：${zh}`, en: `${shown}: ${en}` };
  return new DuetError({ code, text, retryable: code === "network" });
}
