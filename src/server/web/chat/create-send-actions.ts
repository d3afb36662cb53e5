import { readYesNo } from "../../../core/questions/yes-no.ts";
import { type Locale, say, type Text } from "../../../kit/locale.ts";
import { readTypedReply } from "../../../render/questions/typed-reply.ts";
import type { Api, AttachedFile } from "./api/api.ts";
import { ApiError } from "./api/api-error.ts";
import type { WaitingQuestion } from "./api/conversation.ts";
import { type AskOptions, type ChatRuns, toQuestion } from "./chat-runs.ts";
import { createKey } from "./create-key.ts";
import type { ReportErrors } from "./report-errors.ts";
import { describeUnknownCommand, isCommand, isKnownCommand, runCommand } from "./state/chat-commands.ts";
import { findActiveTurn, type Store, type Unsent } from "./state/chat-state.ts";
import { chatTexts } from "./state/chat-texts.ts";
import { findEnterEffect, findTooLong } from "./state/enter-effect.ts";
import { showProblem } from "./state/problems.ts";
import { describeLateReply, describeLostFiles, turnTexts } from "./state/turn-texts.ts";
import { addUnsent, addUnsentFiles, markBeingQueued, offerAgain, removeUnsent } from "./state/unsent.ts";
import type { SendActions, SendOptions, SendResult } from "./views/chat-actions.ts";
import type { WaitingQuestions } from "./waiting-questions.ts";

/** Is where one writes. */
export interface WritingPlace {
  readonly locale: Locale;
  draft: string;
  files: readonly AttachedFile[];
  focus(): void;
}

export interface SendActionsOptions {
  readonly api: Api;
  readonly store: Store;
  readonly runs: Pick<ChatRuns, "ask" | "reply">;
  readonly waiting: Pick<WaitingQuestions, "add" | "findFiles" | "takeBack">;
  readonly attempt: ReportErrors;
  screen(): WritingPlace;
}

/** Sends what is written, and keeps what the server does not take. */
export function createSendActions({ api, store, runs, waiting, attempt, screen }: SendActionsOptions): SendActions {
  /** Holds the IDs of the questions that are being taken back. */
  const leaving = new Set<string>();

  /** Does the work unless the question is being taken back already, as by a second click. */
  async function leaveOnce({ id }: WaitingQuestion, work: () => Promise<void>): Promise<void> {
    if (leaving.has(id)) return;
    leaving.add(id);
    await work().finally(() => leaving.delete(id));
  }

  /** Keeps what is not taken, with its conversation. */
  async function sendOrKeep(entry: Omit<Unsent, "key">, work: Promise<void>): Promise<void> {
    if (!(await attempt(work))) store.change((chat) => addUnsent(chat, entry));
  }

  /**
   * Says something to a run. It is kept until it is known whether the models of the run read it. Where the run reads nothing more, it
   * waits for the end of the run with the files that stand beside it. A bare yes or no goes back to where it was written.
   */
  async function sendToRun(saidTo: string, entry: Omit<Unsent, "key">, beside: readonly AttachedFile[]): Promise<void> {
    const key = createKey();
    store.change((chat) => addUnsent(chat, { ...entry, saidTo }, key));
    const said = api.message(saidTo, entry.text).catch(async (thrown: unknown) => {
      const { conversationId, text } = entry;
      if (!isLate(thrown)) throw thrown;
      if (isBareReply(text)) return restoreReply({ ...entry, key });
      if (conversationId === undefined) throw thrown;
      // Its writer may have taken it back meanwhile.
      if (!store.state.unsent.some((each) => each.key === key)) return;
      const files = takeFiles(conversationId, beside);
      store.change((chat) => addUnsentFiles(markBeingQueued(chat, key), key, files));
      await queue(conversationId, text, { files, afterRun: saidTo });
      store.change((chat) => removeUnsent(chat, key));
    });
    if (!(await attempt(said))) store.change((chat) => offerAgain(chat, key));
  }

  /** Says that a reply came too late, and puts it back where one writes; above that, where something else is written meanwhile. */
  function restoreReply({ key, conversationId, text }: Unsent): void {
    const place = screen();
    const isFree = place.draft === "" && store.state.conversationId === conversationId;
    if (isFree && store.state.unsent.some((each) => each.key === key)) place.draft = text;
    const settle = isFree ? removeUnsent : offerAgain;
    store.change((chat) => showProblem(settle(chat, key), say(place.locale, describeLateReply(text))));
  }

  /** Takes those of the files that still stand where one writes in the conversation. */
  function takeFiles(conversationId: string, files: readonly AttachedFile[]): readonly AttachedFile[] {
    const place = screen();
    if (store.state.conversationId !== conversationId) return [];
    const taken = place.files.filter((file) => files.includes(file));
    if (taken.length > 0) place.files = place.files.filter((file) => !files.includes(file));
    return taken;
  }

  /** Says that an answer came too late. A bare yes or no is not kept then. */
  function answer(entry: Omit<Unsent, "key">, work: Promise<void>): void {
    const inTime = work.catch((thrown: unknown) => {
      if (!isLate(thrown) || !isBareReply(entry.text)) throw thrown;
      store.change((chat) => showProblem(chat, thrown.message));
    });
    void sendOrKeep(entry, inTime);
  }

  /** Lets a question wait for the end of a run, and follow its turn. */
  function queue(
    conversationId: string,
    text: string,
    { files, afterRun }: { files: readonly AttachedFile[]; afterRun: string | undefined },
  ): Promise<void> {
    const { conversation_id: _, ...request } = toQuestion(store.state, text, screen().locale);
    return waiting.add({ conversationId, files, request }, afterRun);
  }

  /** Resolves with the files of a question that waits, and says which of them the page does not have. */
  async function findWaitingFiles(question: WaitingQuestion): Promise<readonly AttachedFile[]> {
    const { files } = question;
    const known = await waiting.findFiles(question);
    if (known.length < files.length) {
      const problem = say(screen().locale, describeLostFiles(files));
      store.change((chat) => showProblem(chat, problem));
    }
    return known;
  }

  /** Takes a question back and puts it where one writes. */
  async function withdraw(conversationId: string, question: WaitingQuestion): Promise<void> {
    const files = await findWaitingFiles(question);
    if (!(await attempt(waiting.takeBack(conversationId, question)))) return;
    const entry = { conversationId, text: question.message, files, isQueued: true };
    // A draft that stands there, or another conversation, is not mixed with it.
    if (screen().draft !== "" || store.state.conversationId !== conversationId)
      return store.change((chat) => addUnsent(chat, entry));
    screen().draft = entry.text;
    screen().files = [...screen().files, ...files];
  }

  /** Takes a question back and lets it wait anew. Without its files it stays where it is. */
  async function queueAgain(conversationId: string, question: WaitingQuestion): Promise<void> {
    const { message: text, afterRun } = question;
    const files = await findWaitingFiles(question);
    if (files.length < question.files.length) return;
    if (!(await attempt(waiting.takeBack(conversationId, question)))) return;
    await sendOrKeep({ conversationId, text, files, isQueued: true }, queue(conversationId, text, { files, afterRun }));
  }

  /** Answers the question of a run, says something to the run, or lets the text wait for its end. */
  function sendWhileRunning(text: string, { isQueued = false, isSure, files = [] }: SendOptions): SendResult {
    const going = findActiveTurn(store.state);
    const runId = going?.run.runId;
    if (going === undefined || runId === undefined) return hold(chatTexts.notBegun);
    const { conversationId } = store.state;
    const entry = { conversationId, text, files: [], isQueued: false };
    const effect = isQueued ? "wait" : findEnterEffect(store.state);
    const tooLong = findTooLong(text, effect);
    if (tooLong !== undefined) return hold(tooLong);
    const typed = isQueued ? undefined : going.question && readTypedReply(going.question.kind, text);
    if (going.question !== undefined && typed !== undefined) {
      answer(entry, runs.reply(going.key, going.question, typed));
      return withoutFiles;
    }
    if (isKnownCommand(text)) return hold(chatTexts.runGoes);
    if (isCommand(text) && isSure !== true) return holdUnknownCommand(text);
    if (effect !== "wait") {
      void sendToRun(runId, entry, files);
      return withoutFiles;
    }
    if (!isQueued && isBareReply(text)) return hold(describeLateReply(text));
    // Nobody can name what it would wait for.
    if (conversationId === undefined) return hold(chatTexts.notBegun);
    void sendOrKeep({ ...entry, files, isQueued: true }, queue(conversationId, text, { files, afterRun: runId }));
    return withFiles;
  }

  const send: SendActions["send"] = (text, options = {}) => {
    if (findActiveTurn(store.state) !== undefined) return sendWhileRunning(text, options);
    if (isKnownCommand(text)) {
      store.change((chat) => runCommand(chat, text));
      return withoutFiles;
    }
    if (isCommand(text) && options.isSure !== true) return holdUnknownCommand(text);
    runs.ask(text, { files: options.files });
    return withFiles;
  };

  /** Asks what the server may have been asked already. */
  function askAgain(text: string, options: AskOptions): SendResult {
    if (findActiveTurn(store.state) !== undefined) return hold(turnTexts.notNow);
    runs.ask(text, options);
    return withFiles;
  }

  return {
    send,
    resend({ key, text, files, isQueued, request }) {
      const result =
        request === undefined
          ? send(text, { files, isQueued: isQueued || files.length > 0, isSure: true })
          : askAgain(text, { files, again: { key, request } });
      store.change((chat) => {
        if (result.kind === "held") return showProblem(chat, say(screen().locale, result.reason));
        return removeUnsent({ ...chat, problem: undefined }, key);
      });
    },
    takeBack({ key, text, files }) {
      store.change((chat) => removeUnsent({ ...chat, problem: undefined }, key));
      screen().draft = [screen().draft, text].filter(Boolean).join("\n");
      screen().files = [...screen().files, ...files];
      screen().focus();
    },
    withdraw(question) {
      const { conversationId } = store.state;
      if (conversationId !== undefined) void leaveOnce(question, () => withdraw(conversationId, question));
      screen().focus();
    },
    requeue(question) {
      const { conversationId } = store.state;
      if (conversationId !== undefined) void leaveOnce(question, () => queueAgain(conversationId, question));
    },
  };
}

const withFiles: SendResult = { kind: "sent", hasFiles: true };
const withoutFiles: SendResult = { kind: "sent", hasFiles: false };

function hold(reason: Text): SendResult {
  return { kind: "held", reason, isSentAgain: false };
}

function holdUnknownCommand(text: string): SendResult {
  return { kind: "held", reason: describeUnknownCommand(text), isSentAgain: true };
}

/** Returns true where a run reads nothing more, or its question has been answered. */
function isLate(thrown: unknown): thrown is ApiError {
  return thrown instanceof ApiError && thrown.status === 409;
}

/**
 * Returns true for a bare yes or no, which replies to what a run has asked or done. Asked later, as a question of its own, it would
 * reply to something else; its writer alone can want that.
 */
function isBareReply(text: string): boolean {
  return readYesNo(text) !== undefined;
}
