import type { CallClient, ClientReply, ClientToolCall } from "../core/client-tools.ts";
import type { OutcomeMeta } from "../core/run/outcome.ts";
import { waitAbortable } from "../kit/async/timeout.ts";
import type { Mutable } from "../kit/mutable.ts";
import { createRandomHex } from "../kit/random.ts";
import type { OpenQuestion } from "./questions/open-question.ts";

/**
 * Holds the calls that a run has asked its client for, round by round. While a round is open, the run waits for the client's next
 * request.
 */
export interface ClientCalls {
  /** Is the round that waits for its results. */
  readonly open: ClientRound | undefined;
  /** Lists all rounds, oldest first. */
  readonly rounds: readonly ClientRound[];
  /** Returns true for the ID of a call, and for the code of a question. */
  has(id: string): boolean;
  /** Says what the client asked for, so that its next request is known to go on with that. It is set once. */
  asked: string | undefined;
  /** Is for the run: waits for the results of these calls. */
  readonly call: CallClient;
  /** Has the run go on. `key` names what the client has sent, so that the same sent again is known. */
  reply(reply: ClientReply, key: string): void;
  /** Is for the run: asks the client's user, in the answer, whether a call may be made. The run then waits for the question to close. */
  askConsent(question: OpenQuestion<"call">): void;
  /** Calls `listener` whenever the run begins to wait. */
  onPause(listener: () => void): void;
  close(): void;
}

export interface ClientRound {
  /** Lists what the client is to call, and is empty where its user is asked for consent. */
  readonly calls: readonly ClientToolCall[];
  readonly consent?: ConsentRound | undefined;
  /** Says how far the run had come when it asked. */
  readonly place: RunPlace;
  /** Names the results with which the run went on. */
  key: string | undefined;
}

/** Represents a call that the client's user is asked about. */
export interface ConsentRound {
  /** Names the question, so that the next message finds it. Nobody can guess it. */
  readonly code: string;
  readonly question: OpenQuestion<"call">;
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
    clientCalls.open = undefined;
    onChange();
  }

  function openRound(
    asked: Pick<ClientRound, "calls" | "consent">,
    resolve: (reply: ClientReply) => void,
    timeMs: number,
  ): ClientRound {
    const round: ClientRound = { ...asked, place: getPlace(), key: undefined };
    rounds.push(round);
    waiting = { round, resolve, timer: setTimeout(onExpire, timeMs).unref() };
    clientCalls.open = round;
    onChange();
    for (const listener of listeners) listener();
    return round;
  }

  const clientCalls: Mutable<ClientCalls> = {
    rounds,
    asked: undefined,
    open: undefined,
    has: (id) => rounds.some(({ calls, consent }) => consent?.code === id || calls.some((call) => call.id === id)),
    async call(calls, signal) {
      signal.throwIfAborted();
      const { promise, resolve } = Promise.withResolvers<ClientReply>();
      const round = openRound({ calls }, resolve, patienceMs);
      try {
        return await waitAbortable(promise, signal);
      } finally {
        if (waiting?.round === round) finish();
      }
    },
    askConsent(question) {
      const code = `consent-${createRandomHex().slice(0, 16)}`;
      // The run ends before its question is given up: nobody would read what it said to that.
      const timeMs = (question.until - Date.now()) * 0.95;
      const round = openRound({ calls: [], consent: { code, question } }, () => {}, timeMs);
      question.closed.addEventListener("abort", () => waiting?.round === round && finish(), { once: true });
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
  return clientCalls;
}
