import { say } from "../../../../kit/locale.ts";
import type { ChatHandler } from "../chat-interface.ts";

/** Limits the time between the first and the second Ctrl-C, in milliseconds. */
const togetherMs = 2_000;

/** Handles Ctrl-C when nothing is running and nothing is typed: pressing it twice leaves the chat. */
export interface Interrupts {
  /** Holds the hint to show while a second Ctrl-C still counts, and is undefined afterwards. */
  readonly hint: string | undefined;
  isSecond(): boolean;
  /** Resets the count because another key was pressed in between. */
  forget(): void;
}

export function createInterrupts({
  handler,
  onChange,
}: {
  handler: Pick<ChatHandler, "locale">;
  onChange(): void;
}): Interrupts {
  let timer: NodeJS.Timeout | undefined;

  function forget(): void {
    clearTimeout(timer);
    timer = undefined;
  }

  return {
    get hint() {
      if (timer === undefined) return undefined;
      return say(handler.locale, { zh: "再按一次 Ctrl-C 退出。", en: "Press Ctrl-C again to exit." });
    },
    isSecond() {
      if (timer !== undefined) return true;
      timer = setTimeout(() => {
        forget();
        onChange();
      }, togetherMs).unref();
      return false;
    },
    forget,
  };
}
