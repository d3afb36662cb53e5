import { type Locale, say } from "../../../core/locale.ts";
import { chatTexts } from "./chat-texts.ts";
import { Refused } from "./refused.ts";
import type { Store } from "./store.ts";

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
