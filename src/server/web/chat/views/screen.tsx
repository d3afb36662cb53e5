import { signal } from "@preact/signals";
import { render } from "preact";
import type { Locale } from "../../../../kit/locale.ts";
import type { ChatState } from "../state/chat-state.ts";
import type { Drafts } from "../storage/drafts.ts";
import { App } from "./app.tsx";
import type { ChatActions } from "./chat-actions.ts";
import { PageContext, type PageModel } from "./page-model.ts";

/** Shows the whole page. */
export interface Screen {
  locale: Locale;
  /** Holds the text that has not been sent yet. */
  draft: string;
  show(chat: ChatState): void;
  /** Puts the focus where one writes. */
  focus(): void;
  /** Closes what is open above the talk; false where nothing is. */
  close(): boolean;
  askToken(isWrong: boolean): void;
}

export interface ScreenOptions {
  readonly document: Document;
  readonly locale: Locale;
  readonly first: ChatState;
  readonly actions: ChatActions;
  readonly drafts: Drafts;
  onToken(token: string): void;
  /** Runs before the browser goes to the provider that signs people in. */
  onLeave(): void;
}

export function createScreen({ document, locale, first, actions, drafts, onToken, onLeave }: ScreenOptions): Screen {
  const page: PageModel = {
    chat: signal(first),
    locale: signal(locale),
    draft: signal(""),
    drawer: signal(false),
    settings: signal(false),
    tokenAsked: signal<"no" | "first" | "again">("no"),
    actions,
    message: { current: null },
    setToken: onToken,
    leave: onLeave,
  };
  document.documentElement.lang = locale === "zh" ? "zh-CN" : "en";
  page.draft.value = drafts.turnTo(first, "");
  page.draft.subscribe((text) => drafts.write(text));
  render(
    <PageContext.Provider value={page}>
      <App />
    </PageContext.Provider>,
    document.body,
  );
  return {
    get locale() {
      return page.locale.value;
    },
    set locale(chosen) {
      page.locale.value = chosen;
    },
    get draft() {
      return page.draft.value;
    },
    set draft(text) {
      page.draft.value = text;
    },
    show(chat) {
      page.chat.value = chat;
      page.draft.value = drafts.turnTo(chat, page.draft.value);
    },
    focus: () => page.message.current?.focus(),
    close() {
      const opened = [page.drawer, page.settings].find(({ value }) => value);
      if (opened === undefined) return false;
      opened.value = false;
      document.querySelector<HTMLElement>(opened === page.drawer ? ".open-drawer" : ".open-settings")?.focus();
      return true;
    },
    askToken(isWrong) {
      page.tokenAsked.value = isWrong ? "again" : "first";
    },
  };
}
