import { type Locale, say } from "../../../kit/locale.ts";
import { ApiError } from "./api/api-error.ts";
import type { Store } from "./state/chat-state.ts";
import { chatTexts } from "./state/chat-texts.ts";

/** Says what went wrong, behind the prefix, and gives whether all went well. Never rejects. */
export type ReportErrors = (work: Promise<void>, prefix?: string) => Promise<boolean>;

export function createReportErrors(store: Store, locale: () => Locale): ReportErrors {
  return async (work, prefix = "") => {
    try {
      await work;
      return true;
    } catch (thrown) {
      const reason = thrown instanceof Error ? thrown.message : String(thrown);
      const where = thrown instanceof ApiError ? prefix : prefix || say(locale(), chatTexts.notReached);
      store.change((chat) => ({ ...chat, problem: where + reason }));
      return false;
    }
  };
}
