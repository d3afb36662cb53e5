import { say } from "../../../kit/locale.ts";
import type { Api } from "./api/api.ts";
import type { ChatConversations } from "./chat-conversations.ts";
import type { ChatList } from "./chat-list.ts";
import type { ChatRuns } from "./chat-runs.ts";
import { loadSteps } from "./load-steps.ts";
import type { ChatActions } from "./parts/chat-actions.ts";
import type { Screen } from "./parts/screen.ts";
import type { ReportErrors } from "./report-errors.ts";
import { chooseMode, chooseModel, chooseParameter, chooseSearch, startConversation } from "./state/chat-choices.ts";
import { isCommand, runCommand } from "./state/chat-commands.ts";
import { findActiveTurn } from "./state/chat-state.ts";
import { chatTexts } from "./state/chat-texts.ts";
import type { Store } from "./state/store.ts";
import type { AddressHash } from "./storage/address-hash.ts";

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

export function createActions({
  api,
  store,
  runs,
  conversations,
  list,
  place,
  attempt,
  screen,
}: ActionsOptions): ChatActions {
  return {
    send(text) {
      if (findActiveTurn(store.state) !== undefined) return false;
      if (isCommand(text)) store.change((chat) => runCommand(chat, text));
      else runs.ask(text);
      return true;
    },
    askAgain(text, mode) {
      if (findActiveTurn(store.state) !== undefined) {
        if (screen().draft === "") screen().draft = text;
      } else {
        if (mode !== undefined) store.change((chat) => chooseMode(chat, mode));
        runs.ask(text);
      }
      screen().focus();
    },
    stop() {
      const going = findActiveTurn(store.state);
      if (going === undefined) return false;
      void attempt(runs.stop(going.key), say(screen().locale, chatTexts.notStopped));
      return true;
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
    chooseMode: (mode) => store.change((chat) => chooseMode(chat, mode)),
    chooseSearch: (isOn) => store.change((chat) => chooseSearch(chat, isOn)),
    chooseModel: (role, name) => store.change((chat) => chooseModel(chat, role, name)),
    chooseParameter: (role, name, value) => store.change((chat) => chooseParameter(chat, role, name, value)),
    chooseLocale(locale) {
      screen().speak(locale, store.state);
      // What is kept names the language too.
      store.change((chat) => ({ ...chat }));
      document.querySelector<HTMLElement>("#language")?.focus();
    },
    newChat() {
      store.change(startConversation);
      screen().focus();
    },
    open(id) {
      // An address that leads nowhere does not stay.
      void attempt(conversations.open(id)).then(() => place.settle(store.state));
      screen().focus();
    },
    remove: (id) => void attempt(conversations.remove(id)),
    more: () => void attempt(list.more()),
  };
}
