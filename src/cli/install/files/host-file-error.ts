import { DuetError } from "../../../kit/errors.ts";
import type { Text } from "../../../kit/locale.ts";
import { sanitizeLine } from "../../../kit/text/sanitize.ts";

/** The one line with which a host's file is left alone: which, and why. */
export function hostFileError(file: string, what: Text, cause?: unknown): DuetError {
  const text = { zh: sanitizeLine(`${file}：${what.zh}`), en: sanitizeLine(`${file}: ${what.en}`) };
  return new DuetError({ code: "invalid_request", text, cause });
}
