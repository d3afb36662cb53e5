import { say } from "../../../core/locale.ts";
import type { Api } from "./api.ts";
import type { Attempt } from "./attempt.ts";
import type { ChatActions } from "./chat-actions.ts";
import { chooseMode, chooseModel, chooseParameter, chooseSearch, startAnew } from "./chat-choices.ts";
import { isCommand, runCommand } from "./chat-commands.ts";
import type { ChatConversations } from "./chat-conversations.ts";
import type { ChatList } from "./chat-list.ts";
import type { ChatRuns } from "./chat-runs.ts";
import { goingTurn } from "./chat-state.ts";
import { chatTexts } from "./chat-texts.ts";
import { loadSteps } from "./load-steps.ts";
import type { Place } from "./place.ts";
import type { Screen } from "./screen.ts";
import type { Store } from "./store.ts";

export interface ActionsOptions {
  readonly api: Api;
  readonly store: Store;
  readonly runs: ChatRuns;
  readonly conversations: ChatConversations;
  readonly list: ChatList;
  readonly place: Place;
  readonly attempt: Attempt;
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
      if (goingTurn(store.state) !== undefined) return false;
      if (isCommand(text)) store.change((chat) => runCommand(chat, text));
      else runs.ask(text);
      return true;
    },
    askAgain(text, mode) {
      if (goingTurn(store.state) !== undefined) {
        if (screen().draft === "") screen().draft = text;
      } else {
        if (mode !== undefined) store.change((chat) => chooseMode(chat, mode));
        runs.ask(text);
      }
      screen().focus();
    },
    stop() {
      const going = goingTurn(store.state);
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
      store.change(startAnew);
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
