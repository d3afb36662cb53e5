import { say } from "../../../kit/locale.ts";
import { readTypedReply } from "../../../render/questions/typed-reply.ts";
import type { Api } from "./api/api.ts";
import { type ChatConversations, type ChatList, insertEntry, loadSteps } from "./chat-conversations.ts";
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
import { changeTurn, findActiveTurn, type Store } from "./state/chat-state.ts";
import { chatTexts } from "./state/chat-texts.ts";
import { findBranch } from "./state/talk-tree.ts";
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

  /** Gives the text back where it was not taken, unless another one is being written. */
  function restoreText(text: string): void {
    if (screen().draft === "") screen().draft = text;
  }

  /** Answers the question of a run, says something to the run, or lets the text wait for its end. */
  function sendWhileRunning(
    text: string,
    { isQueued = false, files = [] }: SendOptions,
  ): ReturnType<ChatActions["send"]> {
    const going = findActiveTurn(store.state);
    const runId = going?.run.runId;
    if (going === undefined || runId === undefined) return chatTexts.notBegun;
    const typed = going.question && readTypedReply(going.question.kind, text);
    if (going.question !== undefined && typed !== undefined) {
      void attempt(runs.reply(going.key, going.question, typed)).then((isTaken) => {
        if (!isTaken) restoreText(text);
      });
      return undefined;
    }
    if (isKnownCommand(text)) return chatTexts.runGoes;
    const { conversationId } = store.state;
    if (isQueued && conversationId !== undefined) {
      const attachments = files.length > 0 ? files : undefined;
      const asking = { ...toQuestion(store.state, text, screen().locale), attachments };
      void attempt(api.queue(conversationId, asking)).then((isTaken) => isTaken || restoreText(text));
    } else void attempt(api.message(runId, text)).then((isTaken) => isTaken || restoreText(text));
    return undefined;
  }

  return {
    ...createConversationActions(options),
    ...createTurnActions(options),
    ...createChoiceActions(options),
    send(text, options = {}) {
      if (findActiveTurn(store.state) !== undefined) return sendWhileRunning(text, options);
      if (isKnownCommand(text)) store.change((chat) => runCommand(chat, text));
      else if (isCommand(text) && options.isSure !== true) return describeUnknownCommand(text);
      else runs.ask(text, { files: options.files });
      return undefined;
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
        if (isTaken) restoreText(waiting.message);
      });
      screen().focus();
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
  /** Holds the number of the newest search: answers to others come too late. */
  let searched = 0;
  const show = async (text: string, mine: number): Promise<void> => {
    const { entries } = await api.conversations({ q: text });
    if (mine === searched) store.change((chat) => ({ ...chat, search: { text, entries } }));
  };
  return {
    search(text) {
      const mine = ++searched;
      if (text === "") return store.change((chat) => ({ ...chat, search: undefined }));
      store.change((chat) => ({ ...chat, search: { text, entries: chat.search?.entries } }));
      void attempt(show(text, mine));
    },
    rename(entry, title) {
      store.change((chat) => insertEntry(chat, { ...entry, title }));
      void attempt(
        api
          .changeConversation(entry.id, { title })
          .then((changed) => store.change((chat) => insertEntry(chat, changed))),
      );
    },
    pin(entry, isPinned) {
      store.change((chat) => insertEntry(chat, { ...entry, isPinned }));
      void attempt(
        api
          .changeConversation(entry.id, { pinned: isPinned })
          .then((changed) => store.change((chat) => insertEntry(chat, changed))),
      );
    },
    save(entry, format) {
      void attempt(
        api.exportConversation(entry.id, format).then((blob) => {
          saveBlob(blob, `${entry.title || entry.id}.${format === "json" ? "json" : "md"}`);
        }),
      );
    },
    remove: (entry) => void attempt(conversations.remove(entry)),
    restore: (entry) => void attempt(conversations.restore(entry)),
    more: () => void attempt(list.more()),
  };
}

function createTurnActions({ api, store, runs, conversations, attempt, screen }: ActionsOptions): TurnActions {
  return {
    askAgain(text, mode, goesOn) {
      if (findActiveTurn(store.state) !== undefined) {
        if (screen().draft === "") screen().draft = text;
      } else {
        if (mode !== undefined) store.change((chat) => chooseMode(chat, mode));
        runs.ask(text, { goesOn });
      }
      screen().focus();
    },
    askInstead(turn, text) {
      if (findActiveTurn(store.state) === undefined) runs.ask(text, { instead: turn });
      screen().focus();
    },
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
