import { say } from "../../../kit/locale.ts";
import { readTypedReply } from "../../../render/questions/typed-reply.ts";
import type { Api, AttachedFile, ConversationChange } from "./api/api.ts";
import type { ConversationEntry, WaitingQuestion } from "./api/conversation.ts";
import { type ChatConversations, type ChatList, forgetRemoved, insertEntry, loadSteps } from "./chat-conversations.ts";
import type { ChatRuns } from "./chat-runs.ts";
import { toQuestion } from "./chat-runs.ts";
import type { ReportErrors } from "./report-errors.ts";
import { saveBlob } from "./save-blob.ts";
import {
  chooseAgent,
  chooseMode,
  chooseModel,
  chooseParameter,
  chooseSearch,
  startConversation,
} from "./state/chat-choices.ts";
import { describeUnknownCommand, isCommand, isKnownCommand, runCommand } from "./state/chat-commands.ts";
import { type ChatState, changeTurn, findActiveTurn, type Store, type Unsent } from "./state/chat-state.ts";
import { chatTexts } from "./state/chat-texts.ts";
import { findBranch } from "./state/talk-tree.ts";
import { describeLostFiles, turnTexts } from "./state/turn-texts.ts";
import { addUnsent, removeUnsent } from "./state/unsent.ts";
import type { AddressHash } from "./storage/address-hash.ts";
import type {
  ChatActions,
  ChoiceActions,
  ConversationActions,
  SendOptions,
  TurnActions,
} from "./views/chat-actions.ts";
import type { Screen } from "./views/screen.tsx";

export interface ActionsOptions {
  readonly api: Api;
  readonly store: Store;
  readonly runs: ChatRuns;
  readonly conversations: ChatConversations;
  readonly list: ChatList;
  readonly place: AddressHash;
  readonly attempt: ReportErrors;
  screen(): Screen;
}

export function createActions(options: ActionsOptions): ChatActions {
  const { api, store, runs, conversations, place, attempt, screen } = options;

  /** Holds the files of questions that this page lets wait, because the server does not give them back. */
  const waitingFiles = new Map<string, { readonly conversationId: string; readonly files: readonly AttachedFile[] }>();

  /** Keeps what is not taken, with its conversation. */
  async function deliver(entry: Omit<Unsent, "key">, work: Promise<void>): Promise<void> {
    if (!(await attempt(work))) store.change((chat) => addUnsent(chat, entry));
  }

  /** Lets a question wait. Its files are kept until it has begun. */
  async function queue(conversationId: string, text: string, files: readonly AttachedFile[]): Promise<void> {
    const attachments = files.length > 0 ? files : undefined;
    const id = await api.queue(conversationId, { ...toQuestion(store.state, text, screen().locale), attachments });
    for (const [each, { conversationId: of }] of waitingFiles)
      if (of === store.state.conversationId && !store.state.queue.some((waiting) => waiting.id === each))
        waitingFiles.delete(each);
    if (files.length > 0) waitingFiles.set(id, { conversationId, files });
  }

  /** Returns the files of a question that waits, or says which of them the page does not have. */
  function findWaitingFiles({ id, files }: WaitingQuestion): readonly AttachedFile[] {
    const known = waitingFiles.get(id)?.files ?? [];
    if (known.length < files.length) {
      const problem = say(screen().locale, describeLostFiles(files));
      store.change((chat) => ({ ...chat, problem }));
    }
    return known;
  }

  /** Answers the question of a run, says something to the run, or lets the text wait for its end. */
  function sendWhileRunning(
    text: string,
    { isQueued = false, files = [] }: SendOptions,
  ): ReturnType<ChatActions["send"]> {
    const going = findActiveTurn(store.state);
    const runId = going?.run.runId;
    if (going === undefined || runId === undefined) return chatTexts.notBegun;
    const { conversationId } = store.state;
    const entry = { conversationId, text, files: [], isQueued: false };
    const typed = isQueued ? undefined : going.question && readTypedReply(going.question.kind, text);
    if (going.question !== undefined && typed !== undefined) {
      void deliver(entry, runs.reply(going.key, going.question, typed));
      return undefined;
    }
    if (isKnownCommand(text)) return chatTexts.runGoes;
    if (!isQueued) {
      void deliver(entry, api.message(runId, text));
      return undefined;
    }
    // Nobody can name what it would wait for.
    if (conversationId === undefined) return chatTexts.notBegun;
    if (hasOtherRun(store.state, runId)) return turnTexts.otherBranch;
    void deliver({ ...entry, files, isQueued }, queue(conversationId, text, files));
    return undefined;
  }

  const send: ChatActions["send"] = (text, options = {}) => {
    if (findActiveTurn(store.state) !== undefined) return sendWhileRunning(text, options);
    if (isKnownCommand(text)) store.change((chat) => runCommand(chat, text));
    else if (isCommand(text) && options.isSure !== true) return describeUnknownCommand(text);
    else runs.ask(text, { files: options.files });
    return undefined;
  };

  return {
    ...createConversationActions(options),
    ...createTurnActions(options),
    ...createChoiceActions(options),
    send,
    resend({ key, text, files, isQueued }) {
      const held = send(text, { files, isQueued: isQueued || files.length > 0, isSure: true });
      store.change((chat) => {
        if (held !== undefined) return { ...chat, problem: say(screen().locale, held) };
        return removeUnsent({ ...chat, problem: "" }, key);
      });
    },
    takeBack({ key, text, files }) {
      store.change((chat) => removeUnsent({ ...chat, problem: "" }, key));
      screen().draft = [screen().draft, text].filter(Boolean).join("\n");
      screen().files = [...screen().files, ...files];
      screen().focus();
    },
    stop() {
      const going = findActiveTurn(store.state);
      if (going === undefined) return false;
      void attempt(runs.stop(going.key), say(screen().locale, chatTexts.notStopped));
      return true;
    },
    withdraw(waiting) {
      const { conversationId } = store.state;
      if (conversationId === undefined) return;
      void attempt(api.withdraw(conversationId, waiting.id)).then((isTaken) => {
        if (!isTaken) return;
        const files = findWaitingFiles(waiting);
        waitingFiles.delete(waiting.id);
        const entry = { conversationId, text: waiting.message, files, isQueued: true };
        // A draft that stands there, or another conversation, is not mixed with it.
        if (screen().draft !== "" || store.state.conversationId !== conversationId)
          return store.change((chat) => addUnsent(chat, entry));
        screen().draft = entry.text;
        screen().files = [...screen().files, ...files];
      });
      screen().focus();
    },
    requeue(waiting) {
      const { conversationId } = store.state;
      if (conversationId === undefined) return;
      const { message: text } = waiting;
      const files = findWaitingFiles(waiting);
      if (files.length < waiting.files.length) return;
      void attempt(api.withdraw(conversationId, waiting.id)).then((isTaken) => {
        if (isTaken) void deliver({ conversationId, text, files, isQueued: true }, queue(conversationId, text, files));
      });
    },
    newChat() {
      store.change(startConversation);
      screen().focus();
    },
    open(id, keepsChoices) {
      // An address that leads nowhere does not stay.
      void attempt(conversations.open(id, keepsChoices)).then(() => place.settle(store.state));
      screen().focus();
    },
  };
}

function createConversationActions({ api, store, conversations, list, attempt }: ActionsOptions): ConversationActions {
  /** Ends the search before: its answer would come too late. */
  let searching = new AbortController();
  /** Shows what is found from an offset on, behind what was found before it. */
  const find = async (text: string, offset: number | undefined, { signal }: AbortController): Promise<void> => {
    const found = await api.conversations({ q: text, offset }, signal).catch((thrown: unknown) => {
      if (!signal.aborted) throw thrown;
      return undefined;
    });
    if (found === undefined || signal.aborted) return;
    store.change((chat) => {
      const before = offset === undefined ? [] : (chat.search?.entries ?? []);
      const known = new Set(before.map(({ id }) => id));
      const entries = [...before, ...found.entries.filter(({ id }) => !known.has(id))];
      return { ...chat, search: { text, entries, moreAt: found.next } };
    });
  };
  /** Shows a change at once, and takes it back where the server does not take it. */
  const change = async (
    before: ConversationEntry,
    after: ConversationEntry,
    asked: ConversationChange,
  ): Promise<void> => {
    store.change((chat) => insertEntry(chat, after));
    const isTaken = await attempt(
      api.changeConversation(before.id, asked).then((changed) => store.change((chat) => insertEntry(chat, changed))),
    );
    if (!isTaken) store.change((chat) => insertEntry(chat, before));
  };
  return {
    search(text) {
      searching.abort();
      searching = new AbortController();
      if (text === "") return store.change((chat) => ({ ...chat, search: undefined }));
      store.change((chat) => ({ ...chat, search: { text, entries: chat.search?.entries } }));
      void attempt(find(text, undefined, searching));
    },
    rename: (entry, title) => void change(entry, { ...entry, title }, { title }),
    pin: (entry, isPinned) => void change(entry, { ...entry, isPinned }, { pinned: isPinned }),
    save(entry, format) {
      void attempt(
        api.exportConversation(entry.id, format).then((blob) => {
          saveBlob(blob, `${entry.title || entry.id}.${format === "json" ? "json" : "md"}`);
        }),
      );
    },
    remove: (entry) => void attempt(conversations.remove(entry)),
    restore: (entry) => void attempt(conversations.restore(entry)),
    dismiss: ({ id }) => store.change((chat) => forgetRemoved(chat, id)),
    more() {
      const { search } = store.state;
      if (search === undefined) void attempt(list.more());
      else if (search.moreAt !== undefined) void attempt(find(search.text, search.moreAt, searching));
    },
  };
}

/** Returns true where a run of the shown conversation goes on besides this one. */
function hasOtherRun({ running, conversationId }: ChatState, runId: string): boolean {
  return running.some((run) => run.conversationId === conversationId && run.id !== runId);
}

function createTurnActions({ api, store, runs, conversations, attempt, screen }: ActionsOptions): TurnActions {
  /** Asks unless a run goes on, and says so where one does. */
  function askIfFree(ask: () => void): boolean {
    const isFree = findActiveTurn(store.state) === undefined;
    if (isFree) ask();
    else store.change((chat) => ({ ...chat, problem: say(screen().locale, turnTexts.notNow) }));
    if (isFree) screen().focus();
    return isFree;
  }
  return {
    retry(turn, mode) {
      askIfFree(() => {
        if (mode !== undefined) store.change((chat) => chooseMode(chat, mode));
        // A refused question that went out of sight with the mode is the one that is asked now.
        store.change((chat) => removeUnsent(chat, turn.key));
        runs.ask(turn.run.question, { instead: turn });
      });
    },
    goOn: (text) => void askIfFree(() => runs.ask(text, { goesOn: true })),
    askInstead: (turn, text) => askIfFree(() => runs.ask(text, { instead: turn })),
    showTurn(n) {
      const { conversationId: id, tree } = store.state;
      const branch = findBranch(tree, n);
      if (id === undefined || branch === undefined) return;
      void attempt(
        conversations.open(id, true, branch).then(async () => void (await api.changeConversation(id, { branch }))),
      );
    },
    rate(turn, rating) {
      const { runId } = turn.run;
      if (runId === undefined) return;
      store.change((chat) => changeTurn(chat, turn.key, (before) => ({ ...before, rating })));
      void attempt(api.rate(runId, rating ?? null));
    },
    async comment({ run: { runId }, rating }, comment) {
      return runId !== undefined && attempt(api.rate(runId, rating ?? null, comment));
    },
    async reply(key, question, reply) {
      const isTaken = await attempt(runs.reply(key, question, reply));
      if (isTaken) screen().focus();
      return isTaken;
    },
    loadSteps(key) {
      loadSteps(api, store, key).catch(() =>
        store.change((chat) => ({ ...chat, problem: say(screen().locale, chatTexts.noSteps) })),
      );
    },
  };
}

function createChoiceActions({ store, screen }: ActionsOptions): ChoiceActions {
  return {
    chooseAgent: (name) => store.change((chat) => chooseAgent(chat, name)),
    chooseMode: (mode) => store.change((chat) => chooseMode(chat, mode)),
    chooseSearch: (isOn) => store.change((chat) => chooseSearch(chat, isOn)),
    chooseModel: (role, name) => store.change((chat) => chooseModel(chat, role, name)),
    chooseParameter: (role, name, value) => store.change((chat) => chooseParameter(chat, role, name, value)),
    chooseLocale(locale) {
      screen().locale = locale;
      // What is kept names the language too.
      store.change((chat) => ({ ...chat }));
    },
  };
}
