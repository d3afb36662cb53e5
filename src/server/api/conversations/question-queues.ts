import { LRUCache } from "lru-cache";
import type { Caller } from "../../../core/caller.ts";
import { ignoreRejection } from "../../../kit/async/ignore-rejection.ts";
import { type ErrorReport, toDuetError, toErrorReport } from "../../../kit/errors.ts";
import { type Locale, say } from "../../../kit/locale.ts";
import { createRandomHex } from "../../../kit/random.ts";
import type { RunHandle } from "../../../runs/live/run-handle.ts";
import { waitForEnd } from "../../../runs/live/wait-until.ts";
import type { RunRegistry } from "../../../runs/run-registry.ts";
import { HttpRefusalError } from "../../http/response/refusal.ts";
import { checkSameRequest } from "../chat/keyed-runs.ts";
import type { Changes } from "./changes.ts";
import { listActiveRuns } from "./find-conversation.ts";
import type { WaitingQuestion } from "./waiting-question.ts";

/** Limits the questions of a conversation that wait, and those of all conversations. */
export const mostWaiting = 20;
const mostOfAll = 1_000;

/** Limits the keys of questions that were taken back, which are remembered so that none of them is asked when its request is repeated. */
const mostTakenBack = 10_000;

/** Limits what the files of all waiting questions take, in bytes. */
const mostBytes = 200_000_000;

/** Limits the pause before a question is tried again, in milliseconds. A run of its caller that begins or ends is looked at sooner. */
const usualPauses = { firstMs: 2_000, longestMs: 60_000 };

/** Limits how long a run may take to end whose question was taken back while it began, in milliseconds. */
const longestEndMs = 2_000;

/** Holds questions that wait, in the order in which they were asked. They last as long as the process. */
export interface QuestionQueues {
  /**
   * Adds a question, and begins it at once where its conversation has no run. Returns undefined where too many wait, and the one
   * that waits already where the request is repeated. Throws `HttpRefusalError` (409) where it was taken back.
   */
  add(
    question: Omit<WaitingQuestion, "id" | "askedAt" | "reservedRunId" | "runId" | "problem" | "isRefused">,
  ): WaitingQuestion | undefined;
  list(caller: Caller, conversationId: string): WaitingQuestion[];
  /** Takes back a question that has not begun; undefined where there is none. One that is just beginning stays. */
  remove(caller: Caller, conversationId: string, id: string): WaitingQuestion | "beginning" | undefined;
  /**
   * Forgets all questions of a conversation that is deleted, and leaves it to the caller to say so. Resolves with them when none of
   * them is beginning any more. Never rejects.
   */
  clear(caller: Caller, conversationId: string): Promise<WaitingQuestion[]>;
  /** Counts questions of deleted conversations among those that wait, so that there is room for them if they come back. */
  hold(questions: readonly WaitingQuestion[]): void;
  /** Counts them no longer. */
  release(questions: readonly WaitingQuestion[]): void;
  /** Lets questions of one conversation wait again, in their order and with the IDs that their runs were to have. */
  restore(questions: readonly WaitingQuestion[]): void;
  /** Names the question that a run answers, where it has waited. */
  findByRun(runId: string): string | undefined;
}

export interface QueueOptions {
  runs: RunRegistry;
  changes: Changes;
  /**
   * Finds a run of the conversation that another process carries out; absent where each process knows its own alone. What cannot be read
   * is taken for none. Never rejects.
   */
  findElsewhere?: ((caller: Caller, conversationId: string) => Promise<RunHandle | undefined>) | undefined;
  /** Begins the run of a question; undefined where it has been asked already. Rejects where no run can begin. */
  begin(question: WaitingQuestion, signal: AbortSignal): Promise<RunHandle | undefined>;
  pauses?: typeof usualPauses;
}

/** Is what is known of a question while its run begins. */
interface BeginningQuestion {
  stop: AbortController;
  ended: Promise<void>;
}

export function createQuestionQueues(options: QueueOptions): QuestionQueues {
  const { runs, changes, findElsewhere, begin, pauses = usualPauses } = options;
  const queues = new Map<string, WaitingQuestion[]>();
  /** Holds the conversations whose queue is being worked off. */
  const going = new Set<string>();
  const beginnings = new Map<string, BeginningQuestion>();
  /** Ends the pauses of queues, by the keys of these. */
  const wakers = new Map<string, () => void>();
  // With `max` the cache would allocate all places at the start.
  const takenBack = new LRUCache<string, true>({ maxSize: mostTakenBack, sizeCalculation: () => 1 });
  /** Maps the runs of questions that have waited to these. */
  const answering = new Map<string, string>();
  /** Holds the questions of deleted conversations that may come back. */
  const held = new Set<WaitingQuestion>();
  const toKey = ({ owner, tools }: Caller, id: string): string => JSON.stringify([owner, tools, id]);

  function notifyFollowers({ caller, conversationId }: Pick<WaitingQuestion, "caller" | "conversationId">): void {
    changes.tell(caller, { type: "queue", id: conversationId });
  }

  function take(key: string, question: WaitingQuestion): void {
    const rest = queues.get(key)?.filter((each) => each !== question) ?? [];
    if (rest.length === 0) queues.delete(key);
    else queues.set(key, rest);
    notifyFollowers(question);
  }

  /** Begins a question and takes it out of its queue; or says that it is to be tried later, that it is refused, or that it was taken back. */
  async function beginNext(key: string, question: WaitingQuestion): Promise<RunHandle | "later" | "refused" | "gone"> {
    const stop = new AbortController();
    const ended = Promise.withResolvers<void>();
    beginnings.set(question.id, { stop, ended: ended.promise });
    try {
      const asked = { ...question, afterRun: findFollowed(queues.get(key) ?? [], question.afterRun) };
      const run = await begin(asked, AbortSignal.any([runs.closing, stop.signal]));
      if (run === undefined) {
        take(key, question);
        return "gone";
      }
      if (stop.signal.aborted) {
        question.runId = run.id;
        await runs.cancel(run, longestEndMs);
        return "gone";
      }
      question.runId = run.id;
      answering.set(run.id, question.id);
      take(key, question);
      return run;
    } catch (thrown) {
      if (stop.signal.aborted || runs.closing.aborted) return "gone";
      question.problem = toProblem(thrown, question.locale);
      question.isRefused = !isPassing(thrown);
      notifyFollowers(question);
      return question.isRefused ? "refused" : "later";
    } finally {
      beginnings.delete(question.id);
      ended.resolve();
    }
  }

  /** Waits until something may have changed for a question that could not begin. */
  async function pause(key: string, caller: Caller, ms: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, ms).unref();
    const over = new AbortController();
    const stop = runs.onChange(caller, resolve);
    wakers.set(key, resolve);
    runs.closing.addEventListener("abort", () => resolve(), { signal: over.signal });
    await promise;
    clearTimeout(timer);
    stop();
    over.abort();
    wakers.delete(key);
  }

  const findNext = (key: string): WaitingQuestion | undefined => queues.get(key)?.find(({ isRefused }) => !isRefused);

  /** Asks one question after the other until none is left that can be asked. */
  async function askAll(key: string): Promise<void> {
    if (going.has(key)) return wakers.get(key)?.();
    going.add(key);
    let pauseMs = pauses.firstMs;
    try {
      for (let next = findNext(key); next !== undefined; next = findNext(key)) {
        const { caller, conversationId } = next;
        const [here] = listActiveRuns({ runs }, caller, conversationId);
        const active = here ?? (await findElsewhere?.(caller, conversationId));
        if (active !== undefined) await waitForEnd(active, runs.closing);
        if (runs.closing.aborted) return;
        // It may have been taken back, or another one may have begun meanwhile.
        if (active !== undefined) continue;
        const begun = await beginNext(key, next);
        if (begun === "later") {
          await pause(key, caller, pauseMs);
          pauseMs = Math.min(pauses.longestMs, pauseMs * 2);
        }
        if (typeof begun === "string") continue;
        pauseMs = pauses.firstMs;
        await waitForEnd(begun, runs.closing);
        answering.delete(begun.id);
      }
    } finally {
      going.delete(key);
    }
  }

  return {
    add(asked) {
      const key = toKey(asked.caller, asked.conversationId);
      const own = queues.get(key) ?? [];
      const { keyed } = asked;
      const same = keyed && own.find((each) => each.keyed?.name === keyed.name);
      if (same?.keyed !== undefined) checkSameRequest(same.keyed, asked.keyed);
      if (same !== undefined) return same;
      if (keyed !== undefined && takenBack.has(keyed.name)) throw takenBackError();
      const all = [...[...queues.values()].flat(), ...held];
      const bytes = [...all, asked]
        .flatMap(({ attachments }) => attachments)
        .reduce((sum, file) => sum + file.bytes.length, 0);
      if (own.length >= mostWaiting || all.length >= mostOfAll || bytes > mostBytes) return undefined;
      const question: WaitingQuestion = {
        ...asked,
        id: `queue-${createRandomHex()}`,
        askedAt: new Date().toISOString(),
        reservedRunId: keyed?.runId ?? `run-${createRandomHex()}`,
      };
      for (const each of own) each.isRefused = false;
      queues.set(key, [...own, question]);
      notifyFollowers(asked);
      void ignoreRejection(askAll(key), "nothing in it throws but a fault of the program");
      return question;
    },
    list: (caller, id) => [...(queues.get(toKey(caller, id)) ?? [])],
    remove(caller, conversationId, id) {
      const key = toKey(caller, conversationId);
      const found = queues.get(key)?.find((each) => each.id === id);
      if (beginnings.has(id)) return found && "beginning";
      if (found?.keyed) takenBack.set(found.keyed.name, true);
      if (found) take(key, found);
      // What was to follow it follows what it was to follow.
      for (const each of queues.get(key) ?? [])
        if (found !== undefined && each.afterRun === found.reservedRunId) each.afterRun = found.afterRun;
      return found;
    },
    async clear(caller, id) {
      const key = toKey(caller, id);
      const own = queues.get(key) ?? [];
      const going = own.flatMap((each) => beginnings.get(each.id) ?? []);
      queues.delete(key);
      wakers.get(key)?.();
      for (const { stop } of going) stop.abort();
      await Promise.all(going.map(({ ended }) => ended));
      return own.filter(({ runId }) => runId === undefined);
    },
    hold(questions) {
      for (const question of questions) held.add(question);
    },
    release(questions) {
      for (const question of questions) held.delete(question);
    },
    restore(questions) {
      const [first] = questions;
      if (first === undefined) return;
      const key = toKey(first.caller, first.conversationId);
      const own = queues.get(key) ?? [];
      const added = new Set(own.flatMap(({ keyed }) => keyed?.name ?? []));
      const back = questions.filter(({ keyed }) => keyed === undefined || !added.has(keyed.name));
      for (const question of back) Object.assign(question, { problem: undefined, isRefused: undefined });
      queues.set(key, [...back, ...own]);
      notifyFollowers(first);
      void ignoreRejection(askAll(key), "nothing in it throws but a fault of the program");
    },
    findByRun: (runId) => answering.get(runId),
  };
}

/** Looks behind questions that still wait because they were refused: what is to follow them follows what they were to follow. */
function findFollowed(waiting: readonly WaitingQuestion[], runId: string | undefined): string | undefined {
  const before = waiting.find(({ reservedRunId }) => reservedRunId === runId);
  return before === undefined ? runId : findFollowed(waiting.slice(0, waiting.indexOf(before)), before.afterRun);
}

/** Says whether a question that could not begin may begin later, without anybody doing anything. */
function isPassing(thrown: unknown): boolean {
  if (thrown instanceof HttpRefusalError) return thrown.refusal.status === 429 || thrown.refusal.status === 503;
  const { code, retryable } = toDuetError(thrown);
  return retryable || code === "overloaded" || code === "rate_limit";
}

function takenBackError(): HttpRefusalError {
  return new HttpRefusalError({
    status: 409,
    text: {
      zh: "这个 Idempotency-Key 的问题已被取回，没有再次排队",
      en: "the question of this Idempotency-Key was taken back and does not wait again",
    },
    hint: { zh: "要再问一次，请换新的键。", en: "To ask it again, use a new key." },
  });
}

function toProblem(thrown: unknown, locale: Locale): ErrorReport {
  if (!(thrown instanceof HttpRefusalError)) return toErrorReport(toDuetError(thrown), locale);
  const { text, hint } = thrown.refusal;
  return { code: "invalid_request", message: say(locale, text), hint: hint ? say(locale, hint) : null };
}
