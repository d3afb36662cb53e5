import type { StoreHealth } from "../../app/conversations/store-health.ts";
import { describeStoreEvent, type StoreEvent } from "../../app/conversations/store-monitor.ts";
import { type Locale, say } from "../../kit/locale.ts";
import type { Log, LogLevel } from "./log.ts";

export interface StoreReportOptions {
  storeHealth: Pick<StoreHealth, "status" | "follow" | "check">;
  locale: Locale;
  log: Log;
  /** Is after how long the store is opened if no question has opened it, in milliseconds. */
  checkAfterMs: number;
}

/**
 * Tells the operator when the store cannot be used, when it can again, and when a damaged one was set aside: a line for each change,
 * however many runs notice it. Returns a function that stops this.
 */
export function reportStore({ storeHealth, locale, log, checkAfterMs }: StoreReportOptions): () => void {
  const unfollow = storeHealth.follow((event) => {
    const text = describeStoreEvent(event);
    if (text !== undefined) log(say(locale, text), levels[event.type], { store: storeHealth.status.state });
  });
  const timer = setTimeout(() => void storeHealth.check(), checkAfterMs).unref();
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
