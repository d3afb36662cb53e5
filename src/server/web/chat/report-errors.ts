import { type Locale, say } from "../../../kit/locale.ts";
import { UnexpectedAnswerError } from "./api/api-error.ts";
import { UnreachedError } from "./api/sender.ts";
import type { Store } from "./state/chat-state.ts";
import { chatTexts } from "./state/chat-texts.ts";
import { showProblem } from "./state/problems.ts";

/**
 * Says what went wrong, behind the prefix, and gives whether all went well. Never rejects. The key is that of a turn whose end settles
 * the problem.
 */
export type ReportErrors = (work: Promise<void>, prefix?: string, turnKey?: string) => Promise<boolean>;

export function createReportErrors(store: Store, locale: () => Locale): ReportErrors {
  return async (work, prefix = "", turnKey = undefined) => {
    try {
      await work;
      return true;
    } catch (thrown) {
      const kind = thrown instanceof UnreachedError ? "unreached" : "other";
      store.change((chat) => showProblem(chat, prefix + describeError(thrown, locale()), { kind, turnKey }));
      return false;
    }
  };
}

/** Says in the language of the page what went wrong; what the server refuses is told in its own words. */
export function describeError(thrown: unknown, locale: Locale): string {
  if (thrown instanceof UnreachedError) return say(locale, chatTexts.notReached);
  if (thrown instanceof UnexpectedAnswerError) return say(locale, chatTexts.notUnderstood);
  return thrown instanceof Error ? thrown.message : String(thrown);
}
