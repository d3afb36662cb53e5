import { ignoreRejection } from "../../../kit/async/ignore-rejection.ts";
import type { Api, AttachedFile, QuestionRequest } from "./api/api.ts";
import { ApiError, isMissing } from "./api/api-error.ts";
import type { WaitingQuestion } from "./api/conversation.ts";
import { createKey } from "./create-key.ts";
import { getUndoMs, type Store } from "./state/chat-state.ts";
import { addUnsent } from "./state/unsent.ts";
import type { KeptText } from "./storage/kept-text.ts";
import type { KeptTexts } from "./storage/kept-texts.ts";

/** Lets questions wait on the server, and keeps them here until they have begun: a server that is started anew is given them again. */
export interface WaitingQuestions {
  /** Rejects where the server does not take it. It follows the turn of `afterRun`, where one is named, and of those that wait behind it. */
  add(question: NewQuestion, afterRun: string | undefined): Promise<void>;
  /**
   * Takes a question back from the server, once what is being sent has been sent: otherwise a question that is given to the server
   * again would wait anew. Rejects where it has begun.
   */
  takeBack(conversationId: string, waiting: WaitingQuestion): Promise<void>;
  /** Resolves with the files of a question that waits, as far as this browser has them, once what it kept has been restored. */
  findFiles(waiting: WaitingQuestion): Promise<readonly AttachedFile[]>;
  /** Takes over which questions of a conversation the server has. Those that it had and has no more have begun, or were taken back. */
  settle(conversationId: string, waiting: readonly WaitingQuestion[]): void;
  /** Keeps the questions of a conversation that has been deleted as long as it can be restored, if it can, and then forgets them. */
  markRemoved(conversationId: string, isRestorable: boolean): void;
  /** Gives the server what it does not have of a conversation that was deleted and is there again. */
  restoreConversation(conversationId: string): void;
  /** Takes what was kept, and gives the server what it does not have, as `sendLost` does. Never rejects. */
  restore(texts: readonly KeptText[]): Promise<void>;
  /** Gives the server what it does not have any more, once it has said that whoever asks is still the owner. Never rejects. */
  sendLost(): Promise<void>;
}

export interface NewQuestion {
  readonly conversationId: string;
  readonly files: readonly AttachedFile[];
  readonly request: QuestionRequest;
}

interface OwnQuestion extends NewQuestion {
  readonly key: string;
  /** Is the ID that its run will have, as soon as the server has said it. */
  readonly runId?: string | undefined;
  readonly restorableUntil?: KeptText["restorableUntil"];
}

export interface WaitingQuestionsOptions {
  readonly api: Pick<Api, "queue" | "waiting" | "withdraw" | "outcome">;
  readonly store: Store;
  readonly kept: Pick<KeptTexts, "put" | "remove">;
  /** Asks the server anew who asks. Resolves where it is the owner of the questions, and never where it is somebody else. */
  confirmOwner(): Promise<void>;
  /** Returns true while the page is in sight. */
  isSeen(): boolean;
}

export function createWaitingQuestions({
  api,
  store,
  kept,
  confirmOwner,
  isSeen,
}: WaitingQuestionsOptions): WaitingQuestions {
  const own = new Map<string, OwnQuestion>();
  /** Holds the questions that the server has said it has, since it was last asked for everything. */
  const known = new Set<string>();
  /** Holds the timers of the deleted conversations that have questions here. */
  const removals = new Map<string, ReturnType<typeof setTimeout>>();
  /** Ends when all that was begun has been done: what is sent keeps its order. */
  let last: Promise<void> = Promise.resolve();
  const restored = Promise.withResolvers<void>();

  function queueUp<T>(work: () => Promise<T>): Promise<T> {
    const done = last.then(work);
    last = done.then(
      () => {},
      () => {},
    );
    return done;
  }

  function keep(question: OwnQuestion): void {
    own.set(question.key, question);
    const { key, conversationId, files, request, runId, restorableUntil } = question;
    kept.put({ key, kind: "queued", conversationId, text: request.message, files, request, runId, restorableUntil });
  }

  function forget(key: string): void {
    own.delete(key);
    known.delete(key);
    kept.remove(key);
  }

  async function send(question: OwnQuestion): Promise<void> {
    const { key, conversationId, files, request } = question;
    const attachments = files.length > 0 ? files : undefined;
    const waiting = await api.queue(conversationId, { ...request, attachments }, key);
    // It was asked before.
    if (waiting.runId !== "") return forget(key);
    const now = own.get(key);
    // Its conversation has been deleted for good meanwhile.
    if (now === undefined) return;
    keep({ ...now, runId: waiting.reservedRunId });
    settleWaiting(question);
  }

  /**
   * Takes over that a question, as it was when the server was asked, waits there, and that its conversation does. A deletion that this
   * page has heard of since then stays.
   */
  function settleWaiting({ key, restorableUntil }: OwnQuestion): void {
    const now = own.get(key);
    if (now === undefined || now.restorableUntil !== restorableUntil) return;
    known.add(key);
    if (restorableUntil !== undefined) keep({ ...now, restorableUntil: undefined });
  }

  const listOwn = (id: string): readonly OwnQuestion[] =>
    [...own.values()].filter(({ conversationId }) => conversationId === id);

  const findByRun = (id: string): OwnQuestion | undefined => [...own.values()].find(({ runId }) => runId === id);

  /** Looks behind the questions that wait for the turn of a run, and for those of each other. */
  function findLastRun(runId: string): string {
    const links = [
      ...store.state.queue.map(({ afterRun, reservedRunId }) => [afterRun, reservedRunId] as const),
      ...[...own.values()].map((each) => [each.request.after_run, each.runId] as const),
    ];
    const next = new Map(links.filter(([, reserved]) => reserved !== undefined));
    let at = runId;
    for (let steps = 0; steps < links.length && next.get(at) !== undefined; steps += 1) at = next.get(at) ?? at;
    return at;
  }

  async function hasBegun(runId: string): Promise<boolean> {
    try {
      await api.outcome(runId);
      return true;
    } catch (thrown) {
      if (isMissing(thrown)) return false;
      throw thrown;
    }
  }

  /** Sends a question, as it was when the server said what waits there, where it is not among that. */
  async function sendIfLost(before: OwnQuestion, waiting: readonly WaitingQuestion[]): Promise<void> {
    const { key, runId, conversationId, request, files } = before;
    if (waiting.some(({ reservedRunId }) => reservedRunId === runId)) return settleWaiting(before);
    if (runId !== undefined && (await hasBegun(runId))) return forget(key);
    const question = own.get(key);
    if (question === undefined) return;
    try {
      await send(question);
    } catch (thrown) {
      const now = own.get(key);
      if (now === undefined) return;
      const { restorableUntil } = now;
      const isGone = restorableUntil !== undefined && isMissing(thrown);
      if (isGone && Date.now() < restorableUntil) return;
      if (isGone) return forget(key);
      // What is refused now is in the hands of its writer again; what could not be asked is tried with the next connection.
      if (!(thrown instanceof ApiError) || thrown.status === 429 || thrown.status >= 500) throw thrown;
      forget(key);
      // It was taken back elsewhere.
      if (thrown.status === 409) return;
      const place = isMissing(thrown) ? undefined : conversationId;
      store.change((chat) =>
        addUnsent(chat, { conversationId: place, text: request.message, files, isQueued: place !== undefined }),
      );
    }
  }

  async function sendAllLost(): Promise<void> {
    for (const id of new Set([...own.values()].map(({ conversationId }) => conversationId))) {
      const before = listOwn(id);
      const waiting = await api.waiting(id);
      for (const question of before) await sendIfLost(question, waiting);
    }
  }

  async function sendLost(): Promise<void> {
    if (own.size === 0) return;
    // What the server says of a queue while it is asked who asks may be without what a restart has lost.
    known.clear();
    // What is sent meanwhile does not wait for this: it is confirmed by itself.
    const sent = confirmOwner().then(() => queueUp(sendAllLost));
    await ignoreRejection(sent, "the next connection to the server tries it again");
  }

  /** Looks once more for a deleted conversation when it can be restored no more: another tab may have restored it. */
  function watchRemoval(conversationId: string, restorableUntil: number): void {
    forgetRemoval(conversationId);
    const look = (): void => {
      removals.delete(conversationId);
      // A page that comes into sight is told to read everything anew, and sends what is lost then.
      if (isSeen()) void sendLost();
    };
    removals.set(conversationId, setTimeout(look, Math.max(0, restorableUntil - Date.now())));
  }

  function forgetRemoval(conversationId: string): void {
    clearTimeout(removals.get(conversationId));
    removals.delete(conversationId);
  }

  return {
    add: (question, afterRun) =>
      queueUp(async () => {
        const key = createKey();
        const after_run = afterRun && findLastRun(afterRun);
        const asked = { ...question, key, request: { ...question.request, after_run } };
        keep(asked);
        try {
          await send(asked);
        } catch (thrown) {
          forget(key);
          throw thrown;
        }
      }),
    takeBack: (conversationId, { id, reservedRunId }) =>
      queueUp(async () => {
        await api.withdraw(conversationId, id);
        const taken = findByRun(reservedRunId);
        if (taken !== undefined) forget(taken.key);
      }),
    async findFiles({ reservedRunId, files }) {
      if (files.length === 0) return [];
      // The page shows what waits before it has read what the browser kept.
      await restored.promise;
      return findByRun(reservedRunId)?.files ?? [];
    },
    settle(conversationId, waiting) {
      for (const question of listOwn(conversationId)) {
        const { key, runId } = question;
        if (runId === undefined) continue;
        if (waiting.some(({ reservedRunId }) => reservedRunId === runId)) settleWaiting(question);
        else if (known.has(key)) forget(key);
      }
    },
    markRemoved(conversationId, isRestorable) {
      const questions = listOwn(conversationId);
      if (!isRestorable) {
        forgetRemoval(conversationId);
        for (const { key } of questions) forget(key);
        return;
      }
      // The server says until when as well, but its clock may be another one.
      const restorableUntil = Date.now() + getUndoMs(store.state);
      for (const question of questions) {
        known.delete(question.key);
        keep({ ...question, restorableUntil });
      }
      if (questions.length > 0) watchRemoval(conversationId, restorableUntil);
    },
    restoreConversation(conversationId) {
      forgetRemoval(conversationId);
      if (listOwn(conversationId).some(({ restorableUntil }) => restorableUntil !== undefined)) void sendLost();
    },
    restore(texts) {
      for (const { key, conversationId, files, request, runId, text, restorableUntil } of texts) {
        if (conversationId === undefined || own.has(key)) continue;
        const question = { key, conversationId, files, runId, restorableUntil, request: toRequest(request, text) };
        own.set(key, question);
        if (restorableUntil !== undefined) watchRemoval(conversationId, restorableUntil);
      }
      restored.resolve();
      return sendLost();
    },
    sendLost,
  };
}

/** Reads a request that was kept, of which a version before this one may have kept less. */
export function toRequest(request: object | undefined, message: string): QuestionRequest {
  return { mode: undefined, locale: "en", ...request, message };
}
