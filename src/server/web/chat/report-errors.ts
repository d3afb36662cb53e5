import { type Locale, say } from "../../../kit/locale.ts";
import { RefusedError } from "./api/refused.ts";
import { chatTexts } from "./state/chat-texts.ts";
import type { Store } from "./state/store.ts";

/** Says what went wrong, behind the prefix, and gives whether all went well. Never rejects. */
export type ReportErrors = (work: Promise<void>, prefix?: string) => Promise<boolean>;

export function createReportErrors(store: Store, locale: () => Locale): ReportErrors {
  return async (work, prefix = "") => {
    try {
      await work;
      return true;
    } catch (thrown) {
      const reason = thrown instanceof Error ? thrown.message : String(thrown);
      const where = thrown instanceof RefusedError ? prefix : prefix || say(locale(), chatTexts.notReached);
      store.change((chat) => ({ ...chat, problem: where + reason }));
      return false;
    }
  };
}
