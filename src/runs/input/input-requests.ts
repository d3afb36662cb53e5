import { type InputRequiredResult, inputRequired, type ServerContext } from "@modelcontextprotocol/server";
import { ignoreRejection } from "../../kit/async/ignore-rejection.ts";
import { followSignal, sleep, waitAbortable } from "../../kit/async/timeout.ts";
import { DuetError } from "../../kit/errors.ts";
import type { Locale } from "../../kit/locale.ts";
import type { Host } from "./host.ts";
import type { HostConnection } from "./host-connection.ts";
import {
  type IncomingRequest,
  mostRounds,
  type PendingQuestion,
  type PendingWork,
  type StartWork,
  startWork,
  waitForQuestion,
} from "./pending-work.ts";
import type { ProgressSender } from "./progress-pace.ts";
import { createRequestState, type NamedQuestion, readRequestState } from "./request-state.ts";
import { withdrawnQuestionError } from "./withdrawn-question.ts";

/**
 * Holds the requests of all connections that may have to ask their host's user something. A host of the 2026 era gets the
 * question in the result of its request, and sends a second request with the answer. Between the two, the work waits here under
 * a name that nobody can guess.
 */
export interface InputRequests<T> {
  /**
   * Serves one request: begins the work, or goes on with the one whose question it answers. `kind` names what is asked for;
   * an answer to something else, or of another caller, finds nothing and is refused with a `ProtocolError`. Rejects as the work does.
   * `takeUp` is for an answer to a run's question that another process has put: it returns what goes on with the run.
   */
  serve(request: IncomingRequest, begin: StartWork<T>, takeUp?: TakeUp<T>): Promise<T | InputRequiredResult>;
  /** Ends the work of a connection that is over. */
  closeConnection(connection: HostConnection): void;
}

export interface InputRequestsOptions {
  /** Is the language in which an answer to a question that is no longer open is refused. */
  locale: Locale;
  /** Is how long a question waits for its answer, in milliseconds. */
  patienceMs?: number;
  /** Limits how many pieces of work of one caller may wait for answers at a time. Questions beyond it get no answer. */
  most?: number;
}

/** Gives a run the answer to its question. Returns undefined where nobody waits for it. */
export type TakeUp<T> = (question: NamedQuestion, reply: unknown) => Promise<StartWork<T> | undefined>;

const questionName = "question";

export function createInputRequests<T>({
  locale,
  patienceMs = 600_000,
  most = 100,
}: InputRequestsOptions): InputRequests<T> {
  const all = new Set<PendingWork<T>>();
  const suspended = new Map<string, { work: PendingWork<T>; open: PendingQuestion; forget(): void }>();

  function beginWork(request: IncomingRequest, begin: StartWork<T>, rounds = 0): PendingWork<T> {
    const work = startWork(request, patienceMs, begin);
    work.rounds = rounds;
    all.add(work);
    ignoreRejection(work.done, "whoever waits for the work handles it").finally(() => all.delete(work));
    return work;
  }

  function resume(state: string, { kind, connection, context }: IncomingRequest): PendingWork<T> | undefined {
    const found = suspended.get(state);
    if (found?.work.kind !== kind || getOwner(found.work) !== connection.caller.owner) return undefined;
    found.forget();
    found.open.answer(context.mcpReq.inputResponses?.[questionName]);
    found.work.questions.delete(found.open);
    return found.work;
  }

  function suspendWork(work: PendingWork<T>, open: PendingQuestion): InputRequiredResult | undefined {
    const ofCaller = [...suspended.values()].filter((one) => getOwner(one.work) === getOwner(work));
    if (ofCaller.length >= most || work.rounds >= mostRounds) return undefined;
    work.rounds += 1;
    const { kind, rounds } = work;
    const requestState = createRequestState(open.origin, { kind, owner: getOwner(work), rounds });
    const { signal } = work.stop;
    const timer = setTimeout(() => work.stop.abort(unansweredError()), patienceMs);
    const forget = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", forget);
      suspended.delete(requestState);
    };
    signal.addEventListener("abort", forget);
    suspended.set(requestState, { work, open, forget });
    return inputRequired({ inputRequests: { [questionName]: open.request }, requestState });
  }

  /** Has the run go on whose question another process has put to the host. */
  async function takeUpWork(
    state: string,
    request: IncomingRequest,
    takeUp: TakeUp<T> | undefined,
  ): Promise<PendingWork<T> | undefined> {
    const { kind, connection } = request;
    const question = readRequestState(state, { kind, owner: connection.caller.owner });
    const begin = question && (await takeUp?.(question, request.context.mcpReq.inputResponses?.[questionName]));
    return begin && beginWork(request, begin, question.rounds);
  }

  /** Returns the work's own result, or its next question. */
  async function waitForResult(work: PendingWork<T>): Promise<T | InputRequiredResult> {
    for (;;) {
      const open = await waitForQuestion(work);
      if (open === undefined || work.stop.signal.aborted) return work.done;
      const asked = suspendWork(work, open);
      if (asked) return asked;
      open.answer(undefined);
      work.questions.delete(open);
    }
  }

  return {
    async serve(request, begin, takeUp) {
      const { mcpReq } = request.context;
      const state: unknown = mcpReq.requestState();
      const isAnswer = typeof state === "string";
      const known = isAnswer ? resume(state, request) : beginWork(request, begin);
      const work = known ?? (await takeUpWork(String(state), request, takeUp));
      if (work === undefined) throw withdrawnQuestionError(String(state), locale);
      work.context = request.context;
      // On HTTP the signal aborts also when all has gone well, so it is followed no longer than the request lasts.
      const unfollow = followSignal(work.stop, mcpReq.signal);
      work.progress.attach(createProgressSender(request.context, request.connection, request.host));
      try {
        return await waitForResult(work);
      } finally {
        if (!mcpReq.signal.aborted) await work.progress.settle();
        work.progress.attach(undefined);
        unfollow();
      }
    },
    closeConnection(connection) {
      // Work that is done may still wait for its host to ask.
      const waiting = [...suspended.values()].map(({ work }) => work);
      for (const work of [...waiting, ...all]) if (work.connection === connection) work.stop.abort(disconnectedError());
    },
  };
}

function getOwner({ connection }: PendingWork<unknown>): string | undefined {
  return connection.caller.owner;
}

function unansweredError(): DuetError {
  return new DuetError({
    code: "timeout",
    text: { zh: "没有等到答复", en: "nobody answered in time" },
  });
}

function disconnectedError(): DuetError {
  return new DuetError({ code: "network", text: { zh: "调用方已断开", en: "the caller disconnected" } });
}

/** Limits how long a host may take to answer a ping, in milliseconds. A host that does not answer is not pinged again. */
const pingMs = 2000;

/**
 * Pauses this long, in milliseconds, so that a host that is not delayed reads two messages in two separate reads. A pause of 5 ms was
 * too short on a busy machine: one notification in fifteen was dropped (`scripts/progress-arrival.mjs`).
 */
const pauseMs = 10;

/** This many pauses in a row must end on time. At most `mostPauses` are made. */
const punctualPauses = 2;
const mostPauses = 12;

/** Limits the notifications that wait for a host to read them. Further ones are dropped. */
const mostWaiting = 1000;

/** Holds the connections whose host did not answer a ping. */
const silent = new WeakSet<HostConnection>();

/**
 * Sends progress to whoever made the request; undefined where that has not asked for any. Official TypeScript clients drop a
 * notification that they read together with its result over stdio: they handle it one microtask later than a response, which takes
 * its handler away. So the result has to wait until it is sure, or at least likely, that all were read. Over HTTP they handle each
 * message before the next one, whatever they read at once.
 */
export function createProgressSender(
  { mcpReq: { _meta, notify, signal } }: ServerContext,
  connection: HostConnection,
  { isModern }: Host,
): ProgressSender | undefined {
  const progressToken = _meta?.progressToken;
  if (progressToken === undefined) return undefined;
  const { inputEnded } = connection;
  let sent: Promise<void> = Promise.resolve();
  let count = 0;
  let waiting = 0;
  let paused: Promise<void> | undefined;

  async function pauseAfterLast(): Promise<void> {
    for (let seen = -1; seen !== count; ) {
      seen = count;
      await sent;
      await pauseUntilPunctual();
    }
    paused = undefined;
  }

  return {
    send(report) {
      if (waiting >= mostWaiting) return;
      count += 1;
      waiting += 1;
      // The request may be over by the time this is sent; then nobody waits for it.
      sent = ignoreRejection(
        notify({ method: "notifications/progress", params: { progressToken, ...report } }),
        "the request may be over, and then nobody waits for its progress",
      ).then(() => {
        waiting -= 1;
      });
      // Hosts of the 2026 era answer no request of ours, so nothing shows that they have read.
      if (inputEnded !== undefined && isModern) paused ??= pauseAfterLast();
    },
    async confirm() {
      await sent;
      if (inputEnded === undefined) return;
      // The process ends soon once its host can send nothing more: then one pause has to do, so that the result is sent in time.
      if (inputEnded.aborted) return sleep(pauseMs);
      if (isModern) return paused;
      if (silent.has(connection)) return pauseUntilPunctual();
      const { server } = connection.server;
      const pong = server.request({ method: "ping" }, { timeout: pingMs, signal });
      // A refusal is an answer too: the host has read everything up to the ping.
      await waitAbortable(pong, inputEnded).catch((thrown) => {
        if (isTimeout(thrown)) silent.add(connection);
      });
      // A host that has closed its output may still read, but its answer to a ping can no longer come.
      if (inputEnded.aborted) await sleep(pauseMs);
    },
  };
}

/** On a machine where pauses take longer than they should, the host is likely to be delayed as well. */
async function pauseUntilPunctual(): Promise<void> {
  let punctual = 0;
  for (let left = mostPauses; left > 0 && punctual < punctualPauses; left--) {
    const began = performance.now();
    await sleep(pauseMs);
    punctual = performance.now() - began < 1.5 * pauseMs ? punctual + 1 : 0;
  }
}

function isTimeout(thrown: unknown): boolean {
  return thrown instanceof Error && "code" in thrown && thrown.code === "REQUEST_TIMEOUT";
}
