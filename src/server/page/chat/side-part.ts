import { titleOf } from "../../../core/conversation-title.ts";
import { type Locale, say } from "../../../core/locale.ts";
import { printableLine } from "../../../core/printable.ts";
import { element, type Part, setShown, setText } from "../dom.ts";
import { button } from "./ask-part.ts";
import type { ChatActions } from "./chat-actions.ts";
import type { ChatState } from "./chat-state.ts";
import { chatTexts, removeLabel, removeQuestion } from "./chat-texts.ts";
import type { ConversationEntry } from "./conversation.ts";
import { keyedListOf } from "./keyed-list.ts";
import { createQuestionDialog } from "./question-dialog.ts";

export interface SidePart extends Part<ChatState> {
  /** Of the conversation in the middle; empty for a new one. */
  title(chat: ChatState): string;
}

export interface SideOptions {
  readonly locale: Locale;
  readonly actions: ChatActions;
  /** Closes the drawer that it is on narrow screens. */
  close(): void;
}

/** The conversations. */
export function createSide({ locale, actions, close }: SideOptions): SidePart {
  const fresh = button(say(locale, chatTexts.newChat), () => {
    close();
    actions.newChat();
  });
  fresh.className = "new";
  const closeButton = button("×", close, "close-drawer");
  closeButton.setAttribute("aria-label", say(locale, chatTexts.closeSide));
  const list = element("ul", { class: "conversations" });
  const none = element("p", { class: "none hint" }, say(locale, chatTexts.noConversations));
  const more = button(say(locale, chatTexts.more), () => actions.more(), "more");
  const nav = element("nav", { "aria-label": say(locale, chatTexts.conversations) }, list, none, more);
  const dialog = createQuestionDialog(locale);
  const ask = (entry: ConversationEntry): void => {
    const text = say(locale, removeQuestion(shownTitle(entry.title, locale)));
    dialog.ask(text, say(locale, chatTexts.remove), () => {
      actions.remove(entry.id);
      fresh.focus();
    });
  };
  const showEntries = keyedListOf<ShownEntry>(list, () => createEntry({ locale, actions, close, ask }));
  const head = element("header", { class: "side-head" }, element("strong", { class: "brand" }, "Duet"), closeButton);
  const language = createLanguage(locale, actions);
  const label = say(locale, chatTexts.conversations);
  const side = element("aside", { class: "side", id: "side", "aria-label": label });
  side.append(head, fresh, nav, language, dialog.element);
  return {
    element: side,
    title({ conversationId, conversations, items, turns }) {
      const [first] = items.flatMap((item) => (item.kind === "turn" ? (turns[item.key] ?? []) : []));
      const kept = conversations.find(({ id }) => id === conversationId);
      return printableLine(kept?.title || titleOf(first?.run.question ?? ""));
    },
    show({ conversations, conversationId, moreAt, turns }) {
      const begun = Object.values(turns);
      const titled = conversations.map((entry) => {
        // Until its first run has ended, a conversation has no title.
        const first = entry.title === "" ? begun.find((turn) => turn.conversationId === entry.id) : undefined;
        return first === undefined ? entry : { ...entry, title: titleOf(first.run.question) };
      });
      showEntries(titled.map((entry) => ({ key: entry.id, entry, isCurrent: entry.id === conversationId })));
      setShown(none, conversations.length === 0);
      setShown(more, moreAt !== undefined);
    },
  };
}

interface ShownEntry {
  readonly key: string;
  readonly entry: ConversationEntry;
  readonly isCurrent: boolean;
}

interface EntryOptions extends SideOptions {
  /** Asks whether it is to go. */
  ask(entry: ConversationEntry): void;
}

function createEntry({ locale, actions, close, ask }: EntryOptions): Part<ShownEntry> {
  const title = element("span", { class: "title", dir: "auto" });
  const time = element("span", { class: "facts" });
  let shown: ConversationEntry | undefined;
  const open = button("", () => {
    close();
    if (shown !== undefined) actions.open(shown.id);
  });
  open.className = "open-conversation";
  open.append(title, " ", time);
  const remove = button("×", () => shown && ask(shown), "delete");
  const item = element("li", { class: "conversation" }, open, remove);
  return {
    element: item,
    show({ entry, isCurrent }) {
      shown = entry;
      setText(title, shownTitle(entry.title, locale));
      open.setAttribute("title", shownTitle(entry.title, locale));
      setText(time, dateOf(entry.updatedAt, locale));
      remove.setAttribute("aria-label", say(locale, removeLabel(shownTitle(entry.title, locale))));
      item.dataset.current = String(isCurrent);
      if (isCurrent) open.setAttribute("aria-current", "true");
      else open.removeAttribute("aria-current");
    },
  };
}

function createLanguage(locale: Locale, actions: ChatActions): HTMLElement {
  const select = element("select", { id: "language" });
  select.append(element("option", { value: "zh", lang: "zh-CN" }, "中文"));
  select.append(element("option", { value: "en", lang: "en" }, "English"));
  select.value = locale;
  select.addEventListener("change", () => actions.chooseLocale(select.value === "zh" ? "zh" : "en"));
  return element("label", { class: "field language" }, element("span", {}, say(locale, chatTexts.language)), select);
}

function shownTitle(title: string, locale: Locale): string {
  return printableLine(title) || say(locale, chatTexts.untitled);
}

function dateOf(time: string, locale: Locale): string {
  const date = new Date(time);
  if (Number.isNaN(date.getTime())) return "";
  const format = { month: "short", day: "numeric", hour: "2-digit", minute: "2-digit" } as const;
  return date.toLocaleString(locale === "zh" ? "zh-CN" : "en", format);
}
