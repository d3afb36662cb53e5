import { type Locale, say, toDuetError, toErrorReport } from "../../kit/errors.ts";
import { renderError } from "../../render/event-lines.ts";

/** What a question or a command threw, as one line; of one that was stopped, that it was. */
export function renderFailure(thrown: unknown, locale: Locale, signal: AbortSignal): string {
  if (signal.aborted) return say(locale, { zh: "已取消。", en: "Cancelled." });
  return renderError(toErrorReport(toDuetError(thrown), locale));
}
