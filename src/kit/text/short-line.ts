import { printableLine } from "./sanitize.ts";
import { cutText } from "./truncate.ts";

/** The beginning of a text from outside as one line that is safe to show: at most `max` UTF-16 units, "…" included. */
export function shortLine(text: string, max: number): string {
  // What is cut away need not be cleaned first: such a text may be a whole page.
  return cutText(printableLine(text.slice(0, 4 * max)), max);
}
