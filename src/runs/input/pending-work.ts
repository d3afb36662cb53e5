import type { InputRequest, ServerContext } from "@modelcontextprotocol/server";
import type { ElicitationReply } from "../../core/forms/elicitation.ts";
import type { ServerLogEntry } from "../../core/server-log.ts";
import { ignoreRejection } from "../../kit/async/ignore-rejection.ts";
import { followSignal } from "../../kit/async/timeout.ts";
import { canShow, type Host } from "./host.ts";
import type { HostConnection } from "./host-connection.ts";
import { type HostQuestion, type QuestionOrigin, readReply, sendToHost, toInputRequest } from "./host-question.ts";
import type { ProgressPace } from "./progress-pace.ts";

/** Starts the work that a host has requested, with the services that it may use. */
export type StartWork<T> = (requestContext: WorkContext) => Promise<T>;

export interface RequestContext {
  /** Aborts when the host has cancelled, has left, or has let a question wait for too long. */
  readonly signal: AbortSignal;
  /** Shows a question to the host's user. Never rejects, and ends in time; without an answer where the host cannot ask. */
  readonly ask: AskHost;
  /** Returns true where the host's user can be asked this many times more before the host gives its request up. */
  readonly hasRounds: (count: number) => boolean;
}

export interface WorkContext extends RequestContext {
  /** Writes to the log of the host's request, of whichever carries the work now, as far as that wants it. Never rejects. */
  readonly log: (entry: ServerLogEntry) => void;
  /** Sends a request of a program below to the host's program. Never rejects, and ends in time. */
  readonly send: SendToHost;
}

/** Gives the host's answer; undefined when it has not answered. Any of the signals withdraws the request. */
export type SendToHost = (request: InputRequest, ...withdrawn: (AbortSignal | undefined)[]) => Promise<unknown>;

/** Asks the host's user; undefined when nobody has replied. Any of the signals withdraws the question. */
export type AskHost = (
  question: HostQuestion,
  ...withdrawn: (AbortSignal | undefined)[]
) => Promise<ElicitationReply | undefined>;

/** Represents work that continues across all the requests that carry it. */
export interface PendingWork<T> {
  readonly kind: string;
  readonly connection: HostConnection;
  readonly stop: AbortController;
  readonly progress: Reporter;
  readonly done: Promise<T>;
  /** Holds the questions for a host of the 2026 era, oldest first. */
  readonly questions: Set<PendingQuestion>;
  /** Runs when there is a new question. */
  wake: () => void;
  /** Counts the questions that a host of the 2026 era has got in place of a result. */
  rounds: number;
  /** Is the request that carries the work now. */
  context: ServerContext;
}

/** The official clients give a request up that still asks something after this many questions (`inputRequired.maxRounds`). */
export const mostRounds = 10;

export interface PendingQuestion {
  readonly request: InputRequest;
  readonly origin?: QuestionOrigin | undefined;
  /** Takes undefined when nobody has replied. */
  answer(reply: unknown): void;
}

/** Tells the host how the work gets on, over all the requests that carry it. */
export type Reporter = Pick<ProgressPace, "attach" | "settle">;

export interface IncomingRequest {
  /** Names what was asked for. */
  kind: string;
  connection: HostConnection;
  host: Host;
  context: ServerContext;
  progress: Reporter;
}

/** Begins the work. `patienceMs` is how long a host of the 2025 era is waited for; one of 2026 is asked by whoever serves it. */
export function startWork<T>(
  { kind, connection, host, context, progress }: IncomingRequest,
  patienceMs: number,
  begin: StartWork<T>,
): PendingWork<T> {
  const stop = new AbortController();
  const questions = new Set<PendingQuestion>();
  const ask: AskHost = async (question, ...withdrawn) => {
    if (!canShow(host, question.kind)) return undefined;
    return readReply(await sendFrom(question.origin, toInputRequest(question, host), withdrawn));
  };
  const hasRounds = (count: number): boolean => work.rounds + count <= mostRounds;
  const send: SendToHost = (request, ...withdrawn) => sendFrom(undefined, request, withdrawn);
  async function sendFrom(
    origin: QuestionOrigin | undefined,
    request: InputRequest,
    withdrawn: readonly (AbortSignal | undefined)[],
  ): Promise<unknown> {
    const { signal, end } = combineSignals([stop.signal, ...withdrawn]);
    try {
      if (signal.aborted) return undefined;
      if (!host.isModern) return await sendToHost(request, context, signal, patienceMs);
      return await waitForAnswer({ request, origin }, signal);
    } finally {
      end();
    }
  }
  async function waitForAnswer(asked: Omit<PendingQuestion, "answer">, signal: AbortSignal): Promise<unknown> {
    const { promise, resolve: answer } = Promise.withResolvers<unknown>();
    const open: PendingQuestion = { ...asked, answer };
    signal.addEventListener("abort", () => answer(undefined), { once: true });
    questions.add(open);
    work.wake();
    try {
      return await promise;
    } finally {
      questions.delete(open);
    }
  }
  const log = ({ level, data, logger }: ServerLogEntry): void => {
    const { mcpReq } = work.context;
    if (!mcpReq.signal.aborted)
      void ignoreRejection(
        mcpReq.log(level, data, logger),
        "the request may be over, and then nobody waits for its log",
      );
  };
  // What the work asks at once finds everything in its place.
  const done = Promise.resolve().then(() => begin({ signal: stop.signal, ask, hasRounds, send, log }));
  const work: PendingWork<T> = {
    kind,
    connection,
    stop,
    progress,
    questions,
    rounds: 0,
    wake: () => {},
    context,
    done,
  };
  void ignoreRejection(done, "whoever waits for the work is told");
  return work;
}

/** Waits for the oldest question without an answer, and returns undefined when the work is done. */
export async function waitForQuestion<T>(work: PendingWork<T>): Promise<PendingQuestion | undefined> {
  const isDone = work.done.then(
    () => true,
    () => true,
  );
  for (;;) {
    const isWoken = new Promise<false>((resolve) => {
      work.wake = () => resolve(false);
    });
    const [oldest] = work.questions;
    if (oldest !== undefined) return oldest;
    // A question may be withdrawn before anybody has seen it.
    if (await Promise.race([isDone, isWoken])) return undefined;
  }
}

/** Returns a signal that aborts with the first of these signals, until `end` is called. */
function combineSignals(signals: readonly (AbortSignal | undefined)[]): { signal: AbortSignal; end(): void } {
  const first = new AbortController();
  const unfollow = signals.map((signal) => followSignal(first, signal));
  return {
    signal: first.signal,
    end() {
      for (const end of unfollow) end();
    },
  };
}
