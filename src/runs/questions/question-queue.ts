import { getReplySchema } from "../../core/questions/stored-replies.ts";
import type { AskUser, QuestionKind, UserQuestion, UserReply } from "../../core/questions/user-question.ts";
import { type AskedQuestion, localMailbox, type QuestionPlace, type RunMailbox } from "../../core/store/run-mailbox.ts";
import { ignoreRejection } from "../../kit/async/ignore-rejection.ts";
import type { Mutable } from "../../kit/mutable.ts";
import { createRandomHex } from "../../kit/random.ts";
import { createOpenQuestion } from "./create-open-question.ts";
import type { OpenQuestion } from "./open-question.ts";

/** Holds the questions that a run asks its user, one at a time. */
export interface QuestionQueue {
  readonly open: OpenQuestion | undefined;
  /** Lists the questions that were answered while they were open here, with the replies that counted. */
  readonly answered: readonly AskedQuestion[];
  forgetAnswered(): void;
  /** Waits until the user has replied; undefined when nobody has in time, or when the signal aborts. Never rejects. */
  readonly ask: AskUser;
  /** Closes a question with what was replied to it in another process. */
  accept(questionId: string, reply: unknown): void;
  /** Closes what is open because the run is over in this process. */
  close(): void;
}

export interface QuestionQueueOptions {
  /** Returns what connects the run with other processes, once it is recorded. */
  getMailbox?(): RunMailbox | undefined;
  /** Returns true where the run ends here, and may go on in another process, which asks again. */
  isLeaving?(): boolean;
  /** Is called once for each question, when it has opened. */
  onOpen?(question: OpenQuestion): void;
}

/**
 * Creates a run's questions. Each waits `patienceMs` milliseconds from when the first process of the run has asked it. `onChange` is called
 * when a question opens, becomes free to be shown again, or closes.
 */
export function createQuestionQueue(
  patienceMs: number,
  onChange: () => void,
  { getMailbox, isLeaving, onOpen }: QuestionQueueOptions = {},
): QuestionQueue {
  let answered: AskedQuestion[] = [];
  /** Maps the questions that wait to what closes them with a reply from elsewhere. */
  const accepting = new Map<string, (reply: unknown) => void>();

  async function ask<K extends QuestionKind>(
    question: UserQuestion<K>,
    signal: AbortSignal,
  ): Promise<UserReply<K> | undefined> {
    if (signal.aborted) return undefined;
    const mailbox = getMailbox?.() ?? localMailbox;
    const id = createRandomHex();
    const until = Date.now() + patienceMs;
    const posting = mailbox.post({ id, question, until });
    const place =
      posting instanceof Promise ? await ignoreRejection(posting, "it is asked in this process alone") : posting;
    if (place === undefined) return openQuestion(question, { id, until, mailbox: localMailbox, signal });
    const earlier = readReply(question, place);
    return earlier ? earlier.reply : openQuestion(question, { until, ...place, mailbox, signal });
  }

  function openQuestion<K extends QuestionKind>(
    question: UserQuestion<K>,
    { id, until, mailbox, signal }: { id: string; until: number; mailbox: RunMailbox; signal: AbortSignal },
  ): Promise<UserReply<K> | undefined> | undefined {
    if (signal.aborted) return undefined;
    const { promise, resolve } = Promise.withResolvers<UserReply<K> | undefined>();
    const closed = new AbortController();
    const opened = createOpenQuestion({ id, question, until, closed: closed.signal, answer, onChange });
    const timer = setTimeout(() => void opened.withdraw(), Math.max(0, until - Date.now()));
    let isTakenBack = false;

    /**
     * Tells all processes of the reply. The first of several counts, and comes back by `accept`, perhaps before the store has said that it
     * is this one.
     */
    async function answer(reply: UserReply<K> | undefined): Promise<boolean> {
      if (closed.signal.aborted) return false;
      const claimed = mailbox.claim(id, reply);
      if (claimed === true) return close(reply);
      try {
        if (!(await claimed)) return false;
        close(reply);
        return !isTakenBack;
      } catch (thrown) {
        // Nobody else waits for a question that is given up.
        if (reply === undefined) close(undefined);
        throw thrown;
      }
    }

    function close(reply: UserReply<K> | undefined): boolean {
      if (closed.signal.aborted) return false;
      clearTimeout(timer);
      signal.removeEventListener("abort", leave);
      accepting.delete(id);
      if (queue.open?.id === id) queue.open = undefined;
      if (reply !== undefined) answered.push({ id, question: opened.question, answer: { reply } });
      closed.abort();
      resolve(reply);
      onChange();
      return true;
    }

    function leave(): void {
      if (!close(undefined) || isLeaving?.()) return;
      isTakenBack = true;
      mailbox.withdraw(id);
    }

    signal.addEventListener("abort", leave, { once: true });
    accepting.set(id, (reply) => close(readReply(question, { id, answer: { reply } })?.reply));
    queue.open = opened;
    onChange();
    onOpen?.(opened);
    return promise;
  }

  const queue: Mutable<QuestionQueue> = {
    open: undefined,
    answered,
    forgetAnswered() {
      answered = [];
      queue.answered = answered;
    },
    ask,
    accept: (questionId, reply) => accepting.get(questionId)?.(reply),
    close() {
      for (const close of [...accepting.values()]) close(undefined);
    },
  };
  return queue;
}

/** Checks a reply from elsewhere once more, as it may come from another version of the program. */
function readReply<K extends QuestionKind>(
  question: UserQuestion<K>,
  { answer }: QuestionPlace,
): { reply: UserReply<K> | undefined } | undefined {
  return answer && { reply: getReplySchema(question).safeParse(answer.reply).data };
}
