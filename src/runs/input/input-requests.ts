import { type InputRequiredResult, inputRequired, inputResponse } from "@modelcontextprotocol/server";
import { follow } from "../../kit/async/timeout.ts";
import { DuetError } from "../../kit/errors.ts";
import { randomHex } from "../../kit/random.ts";
import type { Connection } from "./host-connection.ts";
import { nobody, readReply, toInputRequest } from "./host-question.ts";
import { type Going, nextQuestion, type Open, type Served, start, type Work } from "./pending-work.ts";
import { createProgressSender } from "./progress-sender.ts";

/**
 * The requests of all connections that may have to ask their host's user something. A host of the 2026 era is asked by the
 * result of its request, and sends a second one with the answer: in between the work waits here, under a name that nobody can
 * guess.
 */
export interface Rounds<T> {
  /**
   * Serves one request: begins the work, or goes on with the one whose question it answers. `kind` names what is asked for;
   * an answer to something else, or of another caller, finds nothing. Rejects as the work does.
   */
  serve(served: Served, begin: Work<T>): Promise<T | InputRequiredResult>;
  /** Ends the work of a connection that is over. */
  leave(connection: Connection): void;
}

export interface RoundsOptions<T> {
  /** The result of an answer that nobody waits for, under the `requestState` that came with it. May throw. */
  tooLate(requestState: string): T;
  /** How long a question waits for its answer, in milliseconds. */
  patienceMs?: number;
  /** How much work of one caller may wait for answers at a time; questions beyond it get none. */
  most?: number;
}

const questionName = "question";

export function createRounds<T>({ tooLate, patienceMs = 600_000, most = 100 }: RoundsOptions<T>): Rounds<T> {
  const all = new Set<Going<T>>();
  const parked = new Map<string, { going: Going<T>; open: Open; forget(): void }>();

  function begun(served: Served, begin: Work<T>): Going<T> {
    const going = start(served, patienceMs, begin);
    all.add(going);
    going.done.catch(() => {}).finally(() => all.delete(going));
    return going;
  }

  function resume(state: string, { kind, connection, context }: Served): Going<T> | undefined {
    const found = parked.get(state);
    if (found?.going.kind !== kind || ownerOf(found.going) !== connection.caller.owner) return undefined;
    found.forget();
    found.open.answer(readReply(inputResponse(context.mcpReq.inputResponses, questionName)));
    found.going.questions.delete(found.open);
    return found.going;
  }

  function park(going: Going<T>, open: Open): InputRequiredResult | undefined {
    const ofCaller = [...parked.values()].filter((one) => ownerOf(one.going) === ownerOf(going));
    if (ofCaller.length >= most) return undefined;
    const requestState = randomHex();
    const { signal } = going.stop;
    const timer = setTimeout(() => going.stop.abort(unanswered()), patienceMs);
    const forget = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", forget);
      parked.delete(requestState);
    };
    signal.addEventListener("abort", forget);
    parked.set(requestState, { going, open, forget });
    return inputRequired({ inputRequests: { [questionName]: toInputRequest(open.question) }, requestState });
  }

  /** The work's own result, or its next question. */
  async function outcome(going: Going<T>): Promise<T | InputRequiredResult> {
    for (;;) {
      const open = await nextQuestion(going);
      if (open === undefined || going.stop.signal.aborted) return going.done;
      const asked = park(going, open);
      if (asked) return asked;
      open.answer(nobody);
      going.questions.delete(open);
    }
  }

  return {
    async serve(served, begin) {
      const { mcpReq } = served.context;
      const state: unknown = mcpReq.requestState();
      const isAnswer = typeof state === "string";
      const going = isAnswer ? resume(state, served) : begun(served, begin);
      if (going === undefined) return tooLate(String(state));
      // On HTTP the signal aborts also when all has gone well, so it is followed no longer than the request lasts.
      const unfollow = follow(going.stop, mcpReq.signal);
      going.progress.attach(createProgressSender(served.context, served.connection, served.host));
      try {
        return await outcome(going);
      } finally {
        if (!mcpReq.signal.aborted) await going.progress.settle();
        going.progress.attach(undefined);
        unfollow();
      }
    },
    leave(connection) {
      // Work that is done may still wait for its host to ask.
      const goings = [...[...parked.values()].map(({ going }) => going), ...all];
      for (const going of goings) if (going.connection === connection) going.stop.abort(left());
    },
  };
}

function ownerOf({ connection }: Going<unknown>): string | undefined {
  return connection.caller.owner;
}

function unanswered(): DuetError {
  return new DuetError({
    code: "timeout",
    text: { zh: "没有等到答复", en: "nobody answered in time" },
  });
}

function left(): DuetError {
  return new DuetError({ code: "network", text: { zh: "调用方已断开", en: "the caller has left" } });
}
