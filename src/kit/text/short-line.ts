import { sanitizeLine } from "./sanitize.ts";
import { truncate } from "./truncate.ts";

/** The beginning of a text from outside as one line that is safe to show: at most `max` UTF-16 units, "…" included. */
export function toShortLine(text: string, max: number): string {
  // What is cut away need not be cleaned first: such a text may be a whole page.
  return truncate(sanitizeLine(text.slice(0, 4 * max)), max);
}
