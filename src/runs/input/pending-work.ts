import type { ServerContext } from "@modelcontextprotocol/server";
import type { ElicitationReply } from "../../core/forms/elicitation.ts";
import { follow } from "../../kit/async/timeout.ts";
import { canShow, type Host } from "./host.ts";
import type { Connection } from "./host-connection.ts";
import { nobody, push, type Question } from "./host-question.ts";
import type { Pace } from "./progress-pace.ts";

/** Something that a host has asked for, and what it may use on its way. */
export type Work<T> = (means: Means) => Promise<T>;

export interface Means {
  /** Aborts when the host has cancelled, has left, or has let a question wait for too long. */
  readonly signal: AbortSignal;
  /** Shows a question to the host's user. Never rejects, and ends in time; without an answer where the host cannot ask. */
  readonly ask: AskHost;
}

/** Any of the signals withdraws the question. */
export type AskHost = (question: Question, ...withdrawn: (AbortSignal | undefined)[]) => Promise<ElicitationReply>;

/** Work that goes on, over all the requests that carry it. */
export interface Going<T> {
  readonly kind: string;
  readonly connection: Connection;
  readonly stop: AbortController;
  readonly progress: Reporter;
  readonly done: Promise<T>;
  /** Questions for a host of the 2026 era, in the order they came up. */
  readonly questions: Set<Open>;
  /** Called when there is a new one. */
  wake: () => void;
}

/** A question that has no answer yet. */
export interface Open {
  readonly question: Question;
  answer(reply: ElicitationReply): void;
}

/** Tells the host how the work gets on, over all the requests that carry it. */
export type Reporter = Pick<Pace, "attach" | "settle">;

export interface Served {
  /** Names what was asked for. */
  kind: string;
  connection: Connection;
  host: Host;
  context: ServerContext;
  progress: Reporter;
}

/** Begins the work. `patienceMs` is how long a host of the 2025 era is waited for; one of 2026 is asked by whoever serves it. */
export function start<T>(
  { kind, connection, host, context, progress }: Served,
  patienceMs: number,
  begin: Work<T>,
): Going<T> {
  const stop = new AbortController();
  const questions = new Set<Open>();
  const ask: AskHost = async (question, ...withdrawn) => {
    if (!canShow(host, question.kind)) return nobody;
    const { signal, end } = firstOf([stop.signal, ...withdrawn]);
    try {
      if (signal.aborted) return nobody;
      if (!host.isModern) return await push(question, context, signal, patienceMs);
      return await answerOf(question, signal);
    } finally {
      end();
    }
  };
  async function answerOf(question: Question, signal: AbortSignal): Promise<ElicitationReply> {
    const { promise, resolve: answer } = Promise.withResolvers<ElicitationReply>();
    const open: Open = { question, answer };
    signal.addEventListener("abort", () => answer(nobody), { once: true });
    questions.add(open);
    going.wake();
    try {
      return await promise;
    } finally {
      questions.delete(open);
    }
  }
  // What the work asks at once finds everything in its place.
  const done = Promise.resolve().then(() => begin({ signal: stop.signal, ask }));
  const going: Going<T> = { kind, connection, stop, progress, questions, wake: () => {}, done };
  done.catch(() => {});
  return going;
}

/** The oldest question without an answer, as soon as there is one; undefined when the work is done. */
export async function nextQuestion<T>(going: Going<T>): Promise<Open | undefined> {
  const isDone = going.done.then(
    () => true,
    () => true,
  );
  for (;;) {
    const isWoken = new Promise<false>((resolve) => {
      going.wake = () => resolve(false);
    });
    const [oldest] = going.questions;
    if (oldest !== undefined) return oldest;
    // A question may be withdrawn before anybody has seen it.
    if (await Promise.race([isDone, isWoken])) return undefined;
  }
}

/** A signal that aborts with the first of these, until it is ended. */
function firstOf(signals: readonly (AbortSignal | undefined)[]): { signal: AbortSignal; end(): void } {
  const first = new AbortController();
  const unfollow = signals.map((signal) => follow(first, signal));
  return {
    signal: first.signal,
    end() {
      for (const end of unfollow) end();
    },
  };
}
