import type { Attachment } from "../../../core/attachment.ts";
import type { Caller } from "../../../core/caller.ts";
import { ignoreRejection } from "../../../kit/async/ignore-rejection.ts";
import { type ErrorReport, toDuetError, toErrorReport } from "../../../kit/errors.ts";
import { type Locale, say } from "../../../kit/locale.ts";
import { createRandomHex } from "../../../kit/random.ts";
import type { RunHandle } from "../../../runs/run-handle.ts";
import type { RunRegistry } from "../../../runs/run-registry.ts";
import { HttpRefusalError } from "../../http/response/refusal.ts";
import type { ChatInput } from "../chat-input.ts";
import type { Changes } from "./changes.ts";
import { listActiveRuns } from "./find-conversation.ts";

/** Is a question that is asked once the runs of its conversation have ended. */
export interface WaitingQuestion {
  readonly id: string;
  readonly conversationId: string;
  readonly caller: Caller;
  readonly input: ChatInput;
  readonly attachments: readonly Attachment[];
  readonly headers: Headers;
  readonly locale: Locale;
  readonly askedAt: string;
  /** Is the run that answers it, once it has begun. */
  runId?: string | undefined;
  /** Says why it could not begin. It is tried again with the next question that is added. */
  problem?: ErrorReport | undefined;
}

/** Limits the questions of a conversation that wait, and those of all conversations. */
export const mostWaiting = 20;
const mostOfAll = 1_000;

/** Limits what the files of all waiting questions take, in bytes. */
const mostBytes = 200_000_000;

/** Holds questions that wait, in the order in which they were asked. They last as long as the process. */
export interface QuestionQueues {
  /** Adds a question, and begins it at once where its conversation has no run. Returns undefined where too many wait. */
  add(question: Omit<WaitingQuestion, "id" | "askedAt" | "runId" | "problem">): WaitingQuestion | undefined;
  list(caller: Caller, conversationId: string): WaitingQuestion[];
  /** Takes back a question that has not begun; undefined where there is none. */
  remove(caller: Caller, conversationId: string, id: string): WaitingQuestion | undefined;
  /** Forgets all questions of a conversation. */
  clear(caller: Caller, conversationId: string): void;
  /** Names the question that a run answers, where it has waited. */
  findByRun(runId: string): string | undefined;
}

export interface QueueOptions {
  runs: RunRegistry;
  changes: Changes;
  /** Begins the run of a question. Rejects where no run can begin. */
  begin(question: WaitingQuestion): Promise<RunHandle>;
}

export function createQuestionQueues({ runs, changes, begin }: QueueOptions): QuestionQueues {
  const queues = new Map<string, WaitingQuestion[]>();
  /** Holds the conversations whose queue is being worked off. */
  const going = new Set<string>();
  /** Maps the runs of questions that have waited to these. */
  const answering = new Map<string, string>();
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

  /** Begins a question. Returns undefined, and keeps why, where it cannot begin. */
  async function beginNext(question: WaitingQuestion): Promise<RunHandle | undefined> {
    question.problem = undefined;
    try {
      const run = await begin(question);
      question.runId = run.id;
      answering.set(run.id, question.id);
      return run;
    } catch (thrown) {
      question.problem = toProblem(thrown, question.locale);
      notifyFollowers(question);
      return undefined;
    }
  }

  /** Asks one question after the other until none is left, or one cannot begin. */
  async function askAll(key: string): Promise<void> {
    if (going.has(key)) return;
    going.add(key);
    try {
      for (let [first] = queues.get(key) ?? []; first !== undefined; [first] = queues.get(key) ?? []) {
        const { caller, conversationId } = first;
        const [active] = listActiveRuns({ runs }, caller, conversationId);
        if (active !== undefined) await runs.waitForEnd(active, runs.closing);
        if (runs.closing.aborted) return;
        // It may have been taken back, or another one may have begun meanwhile.
        if (active !== undefined || queues.get(key)?.[0] !== first) continue;
        const run = await beginNext(first);
        if (run === undefined) return;
        take(key, first);
        await runs.waitForEnd(run, runs.closing);
        answering.delete(run.id);
      }
    } finally {
      going.delete(key);
    }
  }

  return {
    add(asked) {
      const key = toKey(asked.caller, asked.conversationId);
      const own = queues.get(key) ?? [];
      const all = [...queues.values()].flat();
      const bytes = [...all, asked]
        .flatMap(({ attachments }) => attachments)
        .reduce((sum, file) => sum + file.bytes.length, 0);
      if (own.length >= mostWaiting || all.length >= mostOfAll || bytes > mostBytes) return undefined;
      const question: WaitingQuestion = {
        ...asked,
        id: `queue-${createRandomHex()}`,
        askedAt: new Date().toISOString(),
      };
      queues.set(key, [...own, question]);
      notifyFollowers(asked);
      void ignoreRejection(askAll(key), "nothing in it throws but a fault of the program");
      return question;
    },
    list: (caller, id) => [...(queues.get(toKey(caller, id)) ?? [])],
    remove(caller, conversationId, id) {
      const key = toKey(caller, conversationId);
      const found = queues.get(key)?.find((each) => each.id === id && each.runId === undefined);
      if (found) take(key, found);
      return found;
    },
    clear(caller, id) {
      if (queues.delete(toKey(caller, id))) notifyFollowers({ caller, conversationId: id });
    },
    findByRun: (runId) => answering.get(runId),
  };
}

function toProblem(thrown: unknown, locale: Locale): ErrorReport {
  if (!(thrown instanceof HttpRefusalError)) return toErrorReport(toDuetError(thrown), locale);
  const { text, hint } = thrown.refusal;
  return { code: "invalid_request", message: say(locale, text), hint: hint ? say(locale, hint) : null };
}
