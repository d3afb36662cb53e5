import { once } from "node:events";
import type { RunJournal } from "../../core/store/journal.ts";
import { ignoreRejection } from "../../kit/async/ignore-rejection.ts";

/** Lets a run go on in another process where this one wants to end, as soon as no call is under way whose outcome nobody would know. */
export interface RunMove {
  beginCall(callId: string): void;
  endCall(callId: string): void;
  /** Lets the run go where this process wants to end. Throws then. */
  leaveIfAsked(): Promise<void>;
  /**
   * Asks a person. Where this process wants to end meanwhile, lets the run go once nothing but such questions is under way, and throws
   * then.
   */
  askOrLeave<T>(ask: () => Promise<T | undefined>): Promise<T | undefined>;
}

export interface RunMoveOptions {
  /** Aborts when this process wants to end, and the run is to go on in another one. */
  leaving: AbortSignal | undefined;
  /** Returns the journal of a run that can be let go now. */
  getJournal(): RunJournal | undefined;
}

export function createRunMove({ leaving, getJournal }: RunMoveOptions): RunMove {
  /** Holds the calls that this process makes. */
  const calls = new Set<string>();
  /** Counts the questions to a person that wait. */
  let waiting = 0;
  let changed = Promise.withResolvers<void>();
  /** Is waited for by every question, with one listener. */
  let left: Promise<"left"> | undefined;

  async function leave(): Promise<void> {
    const journal = getJournal();
    if (journal?.letGo === undefined) return;
    // It ends here where it can, for the others would leave it until a newer program comes back.
    if ((await ignoreRejection(journal.hasReader?.(), "it is let go, as without an answer")) === false) return;
    await ignoreRejection(journal.letGo(), "the lease of this process ends by itself");
    journal.moved?.throwIfAborted();
  }

  return {
    beginCall: (callId) => void calls.add(callId),
    endCall(callId) {
      calls.delete(callId);
      changed.resolve();
      changed = Promise.withResolvers();
    },
    async leaveIfAsked() {
      if (leaving?.aborted) await leave();
    },
    async askOrLeave(ask) {
      if (leaving === undefined || getJournal()?.letGo === undefined) return ask();
      left ??= waitForAbort(leaving);
      let isAsking = true;
      const asking = ask().finally(() => {
        isAsking = false;
      });
      const answered = ignoreRejection(asking, "whoever asks gets it");
      waiting += 1;
      try {
        await Promise.race([answered, left]);
        while (isAsking && calls.size > waiting) await Promise.race([answered, changed.promise]);
        if (isAsking) await leave();
        return await asking;
      } finally {
        waiting -= 1;
      }
    },
  };
}

async function waitForAbort(signal: AbortSignal): Promise<"left"> {
  if (!signal.aborted) await once(signal, "abort");
  return "left";
}
