import type { Api } from "./api/api.ts";
import { changeTurn, type Store } from "./state/chat-state.ts";
import { forgetNotStopped } from "./state/problems.ts";

/** Stops the runs of turns, also of those whose runs have no ID yet. */
export interface RunStops {
  /** Rejects where the run could not be stopped. */
  stop(key: string): Promise<void>;
  /** Stops the run of the turn, if it is to be stopped, now that it has an ID. */
  settle(key: string, runId: string): void;
  /** Takes note that the run of the turn is over, which leaves nothing to be stopped. */
  end(key: string): void;
}

export function createRunStops(api: Pick<Api, "cancel">, store: Store): RunStops {
  /** Holds the stops of turns whose runs have no ID yet: each is settled when its run has one, or is over. */
  const toStop = new Map<string, PromiseWithResolvers<void>>();

  function stopLater(key: string): Promise<void> {
    const later = toStop.get(key) ?? Promise.withResolvers<void>();
    toStop.set(key, later);
    return later.promise;
  }

  function settleWith(key: string, stopped: Promise<void> | undefined): void {
    toStop.get(key)?.resolve(stopped);
    toStop.delete(key);
  }

  async function cancel(key: string, runId: string): Promise<void> {
    await api.cancel(runId).catch((thrown: unknown) => {
      setStopping(key, false);
      const { run, isGone = false } = store.state.turns[key] ?? {};
      // What has ended meanwhile needs no stop; a run that is only not followed any more does.
      if (run?.outcome === undefined && !isGone) throw thrown;
    });
  }

  function setStopping(key: string, isStopping: boolean): void {
    store.change((chat) => changeTurn(chat, key, (turn) => ({ ...turn, isStopping })));
  }

  return {
    async stop(key) {
      store.change((chat) => forgetNotStopped(chat, key));
      setStopping(key, true);
      const runId = store.state.turns[key]?.run.runId;
      await (runId === undefined ? stopLater(key) : cancel(key, runId));
    },
    settle(key, runId) {
      if (toStop.has(key)) settleWith(key, cancel(key, runId));
    },
    end(key) {
      settleWith(key, undefined);
      store.change((chat) => forgetNotStopped(chat, key));
    },
  };
}
