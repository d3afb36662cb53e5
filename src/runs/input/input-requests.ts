import { type InputRequiredResult, inputRequired, inputResponse } from "@modelcontextprotocol/server";
import { followSignal } from "../../kit/async/timeout.ts";
import { DuetError } from "../../kit/errors.ts";
import { createRandomHex } from "../../kit/random.ts";
import type { HostConnection } from "./host-connection.ts";
import { noAnswer, readReply, toInputRequest } from "./host-question.ts";
import {
  type IncomingRequest,
  type PendingQuestion,
  type PendingWork,
  type StartWork,
  startWork,
  waitForQuestion,
} from "./pending-work.ts";
import { createProgressSender } from "./progress-sender.ts";

/**
 * The requests of all connections that may have to ask their host's user something. A host of the 2026 era is asked by the
 * result of its request, and sends a second one with the answer: in between the work waits here, under a name that nobody can
 * guess.
 */
export interface InputRequests<T> {
  /**
   * Serves one request: begins the work, or goes on with the one whose question it answers. `kind` names what is asked for;
   * an answer to something else, or of another caller, finds nothing. Rejects as the work does.
   */
  serve(request: IncomingRequest, begin: StartWork<T>): Promise<T | InputRequiredResult>;
  /** Ends the work of a connection that is over. */
  closeConnection(connection: HostConnection): void;
}

export interface InputRequestsOptions<T> {
  /** The result of an answer that nobody waits for, under the `requestState` that came with it. May throw. */
  tooLate(requestState: string): T;
  /** How long a question waits for its answer, in milliseconds. */
  patienceMs?: number;
  /** How much work of one caller may wait for answers at a time; questions beyond it get none. */
  most?: number;
}

const questionName = "question";

export function createInputRequests<T>({
  tooLate,
  patienceMs = 600_000,
  most = 100,
}: InputRequestsOptions<T>): InputRequests<T> {
  const all = new Set<PendingWork<T>>();
  const parked = new Map<string, { work: PendingWork<T>; open: PendingQuestion; forget(): void }>();

  function begun(request: IncomingRequest, begin: StartWork<T>): PendingWork<T> {
    const work = startWork(request, patienceMs, begin);
    all.add(work);
    work.done.catch(() => {}).finally(() => all.delete(work));
    return work;
  }

  function resume(state: string, { kind, connection, context }: IncomingRequest): PendingWork<T> | undefined {
    const found = parked.get(state);
    if (found?.work.kind !== kind || ownerOf(found.work) !== connection.caller.owner) return undefined;
    found.forget();
    found.open.answer(readReply(inputResponse(context.mcpReq.inputResponses, questionName)));
    found.work.questions.delete(found.open);
    return found.work;
  }

  function park(work: PendingWork<T>, open: PendingQuestion): InputRequiredResult | undefined {
    const ofCaller = [...parked.values()].filter((one) => ownerOf(one.work) === ownerOf(work));
    if (ofCaller.length >= most) return undefined;
    const requestState = createRandomHex();
    const { signal } = work.stop;
    const timer = setTimeout(() => work.stop.abort(unanswered()), patienceMs);
    const forget = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", forget);
      parked.delete(requestState);
    };
    signal.addEventListener("abort", forget);
    parked.set(requestState, { work, open, forget });
    return inputRequired({ inputRequests: { [questionName]: toInputRequest(open.question) }, requestState });
  }

  /** The work's own result, or its next question. */
  async function outcome(work: PendingWork<T>): Promise<T | InputRequiredResult> {
    for (;;) {
      const open = await waitForQuestion(work);
      if (open === undefined || work.stop.signal.aborted) return work.done;
      const asked = park(work, open);
      if (asked) return asked;
      open.answer(noAnswer);
      work.questions.delete(open);
    }
  }

  return {
    async serve(request, begin) {
      const { mcpReq } = request.context;
      const state: unknown = mcpReq.requestState();
      const isAnswer = typeof state === "string";
      const work = isAnswer ? resume(state, request) : begun(request, begin);
      if (work === undefined) return tooLate(String(state));
      // On HTTP the signal aborts also when all has gone well, so it is followed no longer than the request lasts.
      const unfollow = followSignal(work.stop, mcpReq.signal);
      work.progress.attach(createProgressSender(request.context, request.connection, request.host));
      try {
        return await outcome(work);
      } finally {
        if (!mcpReq.signal.aborted) await work.progress.settle();
        work.progress.attach(undefined);
        unfollow();
      }
    },
    closeConnection(connection) {
      // Work that is done may still wait for its host to ask.
      const goings = [...[...parked.values()].map(({ work }) => work), ...all];
      for (const work of goings) if (work.connection === connection) work.stop.abort(left());
    },
  };
}

function ownerOf({ connection }: PendingWork<unknown>): string | undefined {
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
