import { type Locale, say } from "../../../kit/locale.ts";
import { ApiError } from "./api/api-error.ts";
import type { ChatState, Store } from "./state/chat-state.ts";
import { chatTexts } from "./state/chat-texts.ts";

/** Says what went wrong, behind the prefix, and gives whether all went well. Never rejects. */
export type ReportErrors = (work: Promise<void>, prefix?: string) => Promise<boolean>;

export function createReportErrors(store: Store, locale: () => Locale): ReportErrors {
  return async (work, prefix = "") => {
    try {
      await work;
      return true;
    } catch (thrown) {
      // What a browser says of a lost connection is in its own words, and says no more.
      const reason = thrown instanceof ApiError ? thrown.message : say(locale(), chatTexts.notReached);
      store.change((chat) => ({ ...chat, problem: prefix + reason }));
      return false;
    }
  };
}

/** Says no longer that the server cannot be reached. */
export function forgetUnreached(chat: ChatState): ChatState {
  const isUnreached = Object.values(chatTexts.notReached).some((text) => chat.problem.endsWith(text));
  return isUnreached ? { ...chat, problem: "" } : chat;
}
