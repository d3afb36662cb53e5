import type { CallClient, ClientReply, ClientToolCall } from "../core/client-tools.ts";
import type { OutcomeMeta } from "../core/outcome.ts";
import { waitAbortable } from "../kit/async/timeout.ts";

/**
 * Holds the calls that a run has asked its client for, round by round. While a round is open, the run waits for the client's next
 * request.
 */
export interface ClientCalls {
  /** Is the round that waits for its results. */
  readonly open: ClientRound | undefined;
  /** Lists all rounds, oldest first. */
  readonly rounds: readonly ClientRound[];
  has(callId: string): boolean;
  /** Says what the client asked for, so that its next request is known to go on with that. It is set once. */
  asked: string | undefined;
  /** Is for the run: waits for the results of these calls. */
  readonly call: CallClient;
  /** Has the run go on. `key` names what the client has sent, so that the same sent again is known. */
  reply(reply: ClientReply, key: string): void;
  /** Calls `listener` whenever the run begins to wait. */
  onPause(listener: () => void): void;
  close(): void;
}

export interface ClientRound {
  readonly calls: readonly ClientToolCall[];
  /** Says how far the run had come when it asked. */
  readonly place: RunPlace;
  /** Names the results with which the run went on. */
  key: string | undefined;
}

/** Says how far a run has come. */
export interface RunPlace {
  /** Counts its events. */
  event: number;
  /** Holds what its models have used. */
  models: OutcomeMeta["models"];
}

export interface ClientCallsOptions {
  /** Is how long a round waits, in milliseconds. */
  patienceMs: number;
  getPlace(): RunPlace;
  /** Is called when the run begins or ceases to wait. */
  onChange(): void;
  onExpire(): void;
}

export function createClientCalls({ patienceMs, getPlace, onChange, onExpire }: ClientCallsOptions): ClientCalls {
  const rounds: ClientRound[] = [];
  const listeners: (() => void)[] = [];
  let waiting: { round: ClientRound; resolve(reply: ClientReply): void; timer: NodeJS.Timeout } | undefined;

  function finish(): void {
    clearTimeout(waiting?.timer);
    waiting = undefined;
    onChange();
  }

  return {
    rounds,
    asked: undefined,
    get open() {
      return waiting?.round;
    },
    has: (callId) => rounds.some(({ calls }) => calls.some(({ id }) => id === callId)),
    async call(calls, signal) {
      signal.throwIfAborted();
      const { promise, resolve } = Promise.withResolvers<ClientReply>();
      const round = { calls, place: getPlace(), key: undefined };
      rounds.push(round);
      waiting = { round, resolve, timer: setTimeout(onExpire, patienceMs).unref() };
      onChange();
      for (const listener of listeners) listener();
      try {
        return await waitAbortable(promise, signal);
      } finally {
        if (waiting?.round === round) finish();
      }
    },
    reply(reply, key) {
      if (waiting === undefined) return;
      const { round, resolve } = waiting;
      round.key = key;
      finish();
      resolve(reply);
    },
    onPause: (listener) => void listeners.push(listener),
    close: () => clearTimeout(waiting?.timer),
  };
}
