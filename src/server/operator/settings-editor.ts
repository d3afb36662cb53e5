import type { Config } from "../../config/config.ts";
import { createKeyedMutex } from "../../kit/async/semaphore.ts";
import { say, type Text } from "../../kit/locale.ts";
import type { Log } from "../operations/log.ts";
import { refuseDuetErrors } from "./refuse-duet-error.ts";

/** Limits the body of a change, in bytes. */
export const longestChange = 131_072;

/** Makes the operator's changes one after the other: each is made to what the one before has left. */
export interface ConfigEditor {
  /** Runs a change and logs what it was. A `DuetError` of it becomes a refusal. */
  change<T>(what: Text, signal: AbortSignal, work: () => Promise<T>): Promise<T>;
}

export function createConfigEditor(config: Config, log: Log): ConfigEditor {
  const lock = createKeyedMutex();
  return {
    async change(what, signal, work) {
      const release = await lock(config.file ?? "", signal);
      try {
        const made = await refuseDuetErrors(work());
        log(say(config.locale, what));
        return made;
      } finally {
        release();
      }
    },
  };
}
