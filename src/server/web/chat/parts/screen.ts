import type { Locale } from "../../../../kit/locale.ts";
import type { ChatState } from "../state/chat-state.ts";
import type { Drafts } from "../storage/drafts.ts";
import type { ChatActions } from "./chat-actions.ts";
import { createChatView } from "./chat-view.ts";
import { createSignIn } from "./sign-in-part.ts";

/** What stands in the window, in one language at a time. */
export interface Screen {
  readonly locale: Locale;
  /** What is written and not sent. */
  draft: string;
  show(chat: ChatState): void;
  /** Puts the focus where one writes. */
  focus(): void;
  /** Closes what is open above the talk; false where nothing is. */
  close(): boolean;
  askToken(isWrong: boolean): void;
  /** In another language all is another; so it is made anew. */
  speak(locale: Locale, chat: ChatState): void;
}

export interface ScreenOptions {
  readonly document: Document;
  readonly locale: Locale;
  readonly actions: ChatActions;
  readonly drafts: Drafts;
  giveToken(token: string): void;
}

export function createScreen({ document, locale: first, actions, drafts, giveToken }: ScreenOptions): Screen {
  let locale = first;
  let view = createChatView(locale, actions, drafts);
  let signIn = createSignIn(locale, giveToken);

  function put(): void {
    document.documentElement.lang = locale === "zh" ? "zh-CN" : "en";
    document.body.replaceChildren(view.element, signIn.element);
  }

  put();
  return {
    get locale() {
      return locale;
    },
    get draft() {
      return view.composer.draft;
    },
    set draft(text) {
      view.composer.draft = text;
    },
    show: (chat) => view.show(chat),
    focus: () => view.composer.focus(),
    close: () => view.close(),
    askToken: (isWrong) => signIn.ask(isWrong),
    speak(chosen, chat) {
      const { draft } = view.composer;
      const asks = signIn.element.open;
      locale = chosen;
      view = createChatView(locale, actions, drafts);
      signIn = createSignIn(locale, giveToken);
      put();
      view.composer.draft = draft;
      view.show(chat);
      if (asks) signIn.ask(false);
    },
  };
}
