import { say } from "../../../kit/locale.ts";
import type { Api, ConversationChange } from "./api/api.ts";
import type { ConversationEntry } from "./api/conversation.ts";
import { type ChatConversations, type ChatList, forgetRemoved, insertEntry, loadSteps } from "./chat-conversations.ts";
import type { ChatRuns } from "./chat-runs.ts";
import { createSendActions } from "./create-send-actions.ts";
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
import { changeTurn, findActiveTurn, type Store } from "./state/chat-state.ts";
import { chatTexts } from "./state/chat-texts.ts";
import { showProblem } from "./state/problems.ts";
import { findBranch } from "./state/talk-tree.ts";
import { turnTexts } from "./state/turn-texts.ts";
import { removeUnsent } from "./state/unsent.ts";
import type { AddressHash } from "./storage/address-hash.ts";
import type { ChatActions, ChoiceActions, ConversationActions, TurnActions } from "./views/chat-actions.ts";
import type { Screen } from "./views/screen.tsx";
import type { WaitingQuestions } from "./waiting-questions.ts";

export interface ActionsOptions {
  readonly api: Api;
  readonly store: Store;
  readonly runs: ChatRuns;
  readonly conversations: ChatConversations;
  readonly list: ChatList;
  readonly waiting: WaitingQuestions;
  readonly place: AddressHash;
  readonly attempt: ReportErrors;
  screen(): Screen;
}

export function createActions(options: ActionsOptions): ChatActions {
  const { store, runs, conversations, place, attempt, screen } = options;

  return {
    ...createSendActions(options),
    ...createConversationActions(options),
    ...createTurnActions(options),
    ...createChoiceActions(options),
    stop() {
      const going = findActiveTurn(store.state);
      if (going === undefined) return false;
      void attempt(runs.stop(going.key), say(screen().locale, chatTexts.notStopped), going.key);
      return true;
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

function createTurnActions({ api, store, runs, conversations, attempt, screen }: ActionsOptions): TurnActions {
  /** Asks unless a run goes on, and says so where one does. */
  function askIfFree(ask: () => void): boolean {
    const isFree = findActiveTurn(store.state) === undefined;
    if (isFree) ask();
    else store.change((chat) => showProblem(chat, say(screen().locale, turnTexts.notNow)));
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
        store.change((chat) => showProblem(chat, say(screen().locale, chatTexts.noSteps))),
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
