import { say } from "../../../kit/errors.ts";
import type { ChatHandler } from "../answer-question.ts";

/** How soon the second Ctrl-C must follow the first, in milliseconds. */
const togetherMs = 2_000;

/** Ctrl-C where nothing goes on and nothing is typed: twice leaves. */
export interface Interrupts {
  /** What to say until it is too late for the second; undefined then. */
  readonly hint: string | undefined;
  /** Whether this one is the second. */
  isSecond(): boolean;
  /** Another key came between. */
  forget(): void;
}

export function createInterrupts({
  handler,
  changed,
}: {
  handler: Pick<ChatHandler, "locale">;
  changed(): void;
}): Interrupts {
  let timer: NodeJS.Timeout | undefined;

  function forget(): void {
    clearTimeout(timer);
    timer = undefined;
  }

  return {
    get hint() {
      if (timer === undefined) return undefined;
      return say(handler.locale, { zh: "再按一次 Ctrl-C 退出。", en: "Press Ctrl-C again to leave." });
    },
    isSecond() {
      if (timer !== undefined) return true;
      timer = setTimeout(() => {
        forget();
        changed();
      }, togetherMs).unref();
      return false;
    },
    forget,
  };
}
