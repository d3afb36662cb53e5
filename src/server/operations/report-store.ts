import { describeStoreEvent, type StoreEvent } from "../../app/conversations/store-monitor.ts";
import type { Duet } from "../../app/duet.ts";
import { type Locale, say } from "../../kit/locale.ts";
import type { Log, LogLevel } from "./log.ts";

export interface StoreReportOptions {
  duet: Pick<Duet, "storeMonitor" | "checkStore">;
  locale: Locale;
  log: Log;
  /** Is after how long the store is opened if no question has opened it, in milliseconds. */
  checkAfterMs: number;
}

/**
 * Tells the operator when the store cannot be used, when it can again, and when a damaged one was set aside: a line for each change,
 * however many runs notice it. Returns a function that stops this.
 */
export function reportStore({ duet, locale, log, checkAfterMs }: StoreReportOptions): () => void {
  const unfollow = duet.storeMonitor.follow((event) => {
    const text = describeStoreEvent(event);
    if (text !== undefined) log(say(locale, text), levels[event.type], { store: duet.storeMonitor.status.state });
  });
  const timer = setTimeout(() => void duet.checkStore(), checkAfterMs).unref();
  return () => {
    clearTimeout(timer);
    unfollow();
  };
}

const levels: Readonly<Record<StoreEvent["type"], LogLevel>> = {
  memory: "error",
  failing: "error",
  "set-aside": "error",
  replaced: "error",
  lost: "error",
  recovered: "info",
  "few-connections": "warn",
  "enough-connections": "info",
  saved: "debug",
};
