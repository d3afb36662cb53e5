import { DuetError } from "../../core/errors.ts";
import type { Text } from "../../core/locale.ts";
import { printableLine } from "../../core/printable.ts";

/** The one line with which a host's file is left alone: which, and why. */
export function refusal(file: string, what: Text, cause?: unknown): DuetError {
  const text = { zh: printableLine(`${file}：${what.zh}`), en: printableLine(`${file}: ${what.en}`) };
  return new DuetError({ code: "invalid_request", text, cause });
}
