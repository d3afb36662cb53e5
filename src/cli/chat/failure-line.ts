import { toDuetError, toErrorReport } from "../../kit/errors.ts";
import { type Locale, say } from "../../kit/locale.ts";
import { renderError } from "../../render/event-lines.ts";

/** Renders what a question or a command threw as one line. If it was stopped, the line says so. */
export function renderFailure(thrown: unknown, locale: Locale, signal: AbortSignal): string {
  if (signal.aborted) return say(locale, { zh: "已取消。", en: "Cancelled." });
  return renderError(toErrorReport(toDuetError(thrown), locale));
}
