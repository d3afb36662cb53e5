import { type Locale, say } from "../../../kit/locale.ts";
import { Refused } from "./api/refused.ts";
import { chatTexts } from "./state/chat-texts.ts";
import type { Store } from "./state/store.ts";

/** Says what went wrong, behind the prefix, and gives whether all went well. Never rejects. */
export type Attempt = (work: Promise<void>, prefix?: string) => Promise<boolean>;

export function createAttempt(store: Store, locale: () => Locale): Attempt {
  return async (work, prefix = "") => {
    try {
      await work;
      return true;
    } catch (thrown) {
      const reason = thrown instanceof Error ? thrown.message : String(thrown);
      const where = thrown instanceof Refused ? prefix : prefix || say(locale(), chatTexts.notReached);
      store.change((chat) => ({ ...chat, problem: where + reason }));
      return false;
    }
  };
}
