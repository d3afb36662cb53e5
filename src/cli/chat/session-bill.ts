import type { Locale } from "../../core/locale.ts";
import type { Outcome } from "../../core/outcome.ts";

/** What the runs of a chat have used together. */
export interface SessionBill {
  add(outcome: Outcome): void;
  /** A line a role and model, and one for all; one that says so when nothing has been used yet. */
  lines(locale: Locale): string[];
}
