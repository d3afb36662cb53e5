import { DuetError } from "../../../kit/errors.ts";
import type { Text } from "../../../kit/locale.ts";
import { printableLine } from "../../../kit/text/sanitize.ts";

/** The one line with which a host's file is left alone: which, and why. */
export function refusal(file: string, what: Text, cause?: unknown): DuetError {
  const text = { zh: printableLine(`${file}：${what.zh}`), en: printableLine(`${file}: ${what.en}`) };
  return new DuetError({ code: "invalid_request", text, cause });
}
