import type { Elicit, Elicitation, ElicitationReply } from "../../core/forms/elicitation.ts";
import { createSemaphore } from "../../kit/async/semaphore.ts";
import { followSignal } from "../../kit/async/timeout.ts";
import type { Text } from "../../kit/locale.ts";
import type { Redact } from "../redact.ts";

/** Holds what questions need to know of a running call. */
export interface ActiveCall {
  /** Asks the person for whom the call is made; absent where nobody can be asked. */
  elicit?: Elicit | undefined;
  /** Tells whoever reads of the call. */
  tell?: Notify | undefined;
}

/**
 * Tracks the running calls of one connection. A server of the 2025 era does not say which call its question belongs to, so a
 * user is asked only while all calls are for that one user.
 */
export interface ActiveCalls {
  /** Counts a call until the function that it gives is called. */
  enter(call: ActiveCall): () => void;
  /**
   * Returns whom to ask a question that has just arrived, or undefined when there is nobody. It asks one question at a time, and
   * withdraws it when no call is left.
   */
  current(): Elicit | undefined;
  /** Tells the reader of the oldest call. */
  readonly tell: Notify;
}

/** Limits the open and waiting questions; further ones are not asked, since nobody would read so many. */
const mostAtOnce = 5;

const cancel: ElicitationReply = { action: "cancel" };

export function createActiveCalls(): ActiveCalls {
  const calls = new Set<ActiveCall>();
  const turn = createSemaphore(1);
  let asked = 0;
  /** Aborts when the last call has ended. */
  let rest = new AbortController();

  async function ask(elicit: Elicit, question: Elicitation, signal: AbortSignal): Promise<ElicitationReply> {
    if (asked >= mostAtOnce) return cancel;
    asked += 1;
    try {
      return await askInTurn(() => elicit(question, signal), signal);
    } finally {
      asked -= 1;
    }
  }

  async function askInTurn(work: () => Promise<ElicitationReply>, signal: AbortSignal): Promise<ElicitationReply> {
    try {
      await turn.acquire(signal);
    } catch {
      return cancel;
    }
    try {
      return signal.aborted ? cancel : await work();
    } finally {
      turn.release();
    }
  }

  return {
    enter(call) {
      const mine = { ...call };
      calls.add(mine);
      return () => {
        calls.delete(mine);
        if (calls.size > 0) return;
        rest.abort();
        rest = new AbortController();
      };
    },
    current() {
      const [elicit, ...others] = new Map([...calls].map((call) => [getPerson(call), call.elicit])).values();
      if (others.length > 0) {
        return async ({ from }) => {
          for (const { tell } of calls) tell?.("question-unasked", describeUnasked(from));
          return cancel;
        };
      }
      if (elicit === undefined) return undefined;
      const { signal: left } = rest;
      return async (question, signal) => {
        const stop = new AbortController();
        const unfollow = [followSignal(stop, left), followSignal(stop, signal)];
        try {
          return await ask(elicit, question, stop.signal);
        } finally {
          for (const end of unfollow) end();
        }
      };
    },
    tell(code, message) {
      const [first] = calls;
      first?.tell?.(code, message);
    },
  };
}

/** Returns the person behind a call; all calls for which nobody can be asked count as one. */
function getPerson({ elicit }: ActiveCall): unknown {
  return elicit?.person ?? elicit;
}

function describeUnasked(from: string): Text {
  return {
    zh: `MCP 服务器 ${from} 提了一个问题，但同时有多个调用方在使用它，无法确定该问谁，所以没有人被询问。`,
    en: `The MCP server ${from} asked a question while several callers used it; it did not say which one it means, so nobody was asked.`,
  };
}

/** Identifies the server that asks, and redacts its own secrets from its texts. */
export interface RequestingServer {
  /** Is the configured name of the server. */
  from: string;
  redact: Redact;
}

export interface AnswerContext {
  /** Asks the person of the call that the question belongs to; absent where nobody can be asked. */
  elicit?: Elicit | undefined;
  /** Aborts when the answer is not wanted any more. */
  signal: AbortSignal;
  /** Tells the reader of that call something once: what was written for the server, and what it cost. */
  tell?: Notify | undefined;
}

/** Works like the `notice` of a tool's context, in both languages. */
export type Notify = (code: string, message: Text) => void;
