import { type Locale, say } from "../../../../kit/locale.ts";
import { sanitizeLine } from "../../../../kit/text/sanitize.ts";
import { createButton, createElement, type Part, setShown, setText } from "../../dom.ts";
import type { ConversationEntry } from "../api/conversation.ts";
import type { ChatState } from "../state/chat-state.ts";
import { chatTexts, describeRemoval, labelRemoval, sideTexts } from "../state/chat-texts.ts";
import { type SideEntry, toSideEntries } from "../state/side-entries.ts";
import type { ChatActions } from "./chat-actions.ts";

export interface SideOptions {
  readonly locale: Locale;
  readonly actions: ChatActions;
  /** Closes the drawer that it is on narrow screens. */
  close(): void;
}

/** Shows the list of conversations. */
export function createSidePart({ locale, actions, close }: SideOptions): Part<ChatState> {
  const fresh = createButton(say(locale, chatTexts.newChat), () => {
    close();
    actions.newChat();
  });
  fresh.className = "new";
  const closeButton = createButton("×", close, "close-drawer");
  closeButton.setAttribute("aria-label", say(locale, chatTexts.closeSide));
  const list = createElement("ul", { class: "conversations" });
  const none = createElement("p", { class: "none hint" }, say(locale, chatTexts.noConversations));
  const more = createButton(say(locale, chatTexts.more), () => actions.more(), "more");
  const nav = createElement("nav", { "aria-label": say(locale, chatTexts.conversations) }, list, none, more);
  const dialog = createQuestionDialog(locale);
  const ask = (entry: ConversationEntry): void => {
    const text = say(locale, describeRemoval(toShownTitle(entry.title, locale)));
    dialog.ask(text, say(locale, chatTexts.remove), () => {
      actions.remove(entry.id);
      fresh.focus();
    });
  };
  const showEntries = createKeyedList<SideEntry>(list, () => createEntry({ locale, actions, close, ask }));
  const head = createElement(
    "header",
    { class: "side-head" },
    createElement("strong", { class: "brand" }, "Duet"),
    closeButton,
  );
  const language = createLanguage(locale, actions);
  const account = createElement("a", { class: "account", href: "/signin", hidden: "" });
  const label = say(locale, chatTexts.conversations);
  const side = createElement("aside", { class: "side", id: "side", "aria-label": label });
  side.append(head, fresh, nav, account, language, dialog.element);
  return {
    element: side,
    show(chat) {
      const entries = toSideEntries(chat);
      showEntries(entries);
      setShown(none, entries.length === 0);
      setShown(more, chat.moreAt !== undefined);
      const { provider, name } = chat.account ?? {};
      setText(
        account,
        name === undefined ? say(locale, chatTexts.signIn) : `${name} · ${say(locale, chatTexts.signOut)}`,
      );
      setShown(account, provider !== undefined);
    },
  };
}

interface EntryOptions extends SideOptions {
  /** Asks whether it is to go. */
  ask(entry: ConversationEntry): void;
}

function createEntry({ locale, actions, close, ask }: EntryOptions): Part<SideEntry> {
  const title = createElement("span", { class: "title", dir: "auto" });
  const time = createElement("span", { class: "facts" });
  let shown: ConversationEntry | undefined;
  const open = createButton("", () => {
    close();
    if (shown !== undefined) actions.open(shown.id);
  });
  open.className = "open-conversation";
  open.append(title, " ", time);
  const remove = createButton("×", () => shown && ask(shown), "delete");
  const item = createElement("li", { class: "conversation" }, open, remove);
  return {
    element: item,
    show(entry) {
      const { isCurrent, mark } = entry;
      shown = entry;
      setText(title, toShownTitle(entry.title, locale));
      open.setAttribute("title", toShownTitle(entry.title, locale));
      setText(time, mark === undefined ? renderDate(entry.updatedAt, locale) : say(locale, sideTexts[mark]));
      remove.setAttribute("aria-label", say(locale, labelRemoval(toShownTitle(entry.title, locale))));
      item.dataset.current = String(isCurrent);
      item.dataset.mark = mark ?? "";
      if (isCurrent) open.setAttribute("aria-current", "true");
      else open.removeAttribute("aria-current");
    },
  };
}

function createLanguage(locale: Locale, actions: ChatActions): HTMLElement {
  const select = createElement("select", { id: "language" });
  select.append(createElement("option", { value: "zh", lang: "zh-CN" }, "中文"));
  select.append(createElement("option", { value: "en", lang: "en" }, "English"));
  select.value = locale;
  select.addEventListener("change", () => actions.chooseLocale(select.value === "zh" ? "zh" : "en"));
  return createElement(
    "label",
    { class: "field language" },
    createElement("span", {}, say(locale, chatTexts.language)),
    select,
  );
}

function toShownTitle(title: string, locale: Locale): string {
  return sanitizeLine(title) || say(locale, chatTexts.untitled);
}

function renderDate(time: string, locale: Locale): string {
  const date = new Date(time);
  if (Number.isNaN(date.getTime())) return "";
  const format = { month: "short", day: "numeric", hour: "2-digit", minute: "2-digit" } as const;
  return date.toLocaleString(locale === "zh" ? "zh-CN" : "en", format);
}

export interface QuestionDialog {
  readonly element: HTMLElement;
  /** Asks; what is under way goes on when the answer is yes. */
  ask(text: string, yes: string, act: () => void): void;
}

/**
 * Asks whether the token of a link is to replace the one that this tab has. Whoever made the link could read what is asked
 * afterwards. Resolves to true only where a person says so.
 */
export function askAboutToken(document: Document, locale: Locale): Promise<boolean> {
  const { element, ask } = createQuestionDialog(locale);
  document.body.append(element);
  return new Promise((resolve) => {
    ask(say(locale, chatTexts.linkToken), say(locale, chatTexts.useToken), () => resolve(true));
    element.addEventListener("close", () => {
      element.remove();
      resolve(false);
    });
  });
}

/** Shows a question that blocks the rest of the page. The browser keeps the focus inside, and Escape means no. */
export function createQuestionDialog(locale: Locale): QuestionDialog {
  const words = createElement("p");
  const dialog = createElement("dialog", { class: "confirm-delete" });
  let act = (): void => {};
  const yes = createButton("", () => {
    dialog.close();
    act();
  });
  yes.className = "danger";
  const no = createButton(say(locale, chatTexts.cancel), () => dialog.close());
  dialog.append(words, createElement("div", { class: "actions" }, yes, no));
  return {
    element: dialog,
    ask(text, yesWord, then) {
      act = then;
      setText(words, text);
      // Several such dialogs may be in the page, so that an ID would not tell which words are meant.
      dialog.setAttribute("aria-label", text);
      setText(yes, yesWord);
      dialog.showModal();
      no.focus();
    },
  };
}

/** Shows a list, one part for each key. A part stays as long as there is an entry of its key, in the order of the entries. */
export function createKeyedList<T extends { readonly key: string }>(parent: Element, create: (value: T) => Part<T>) {
  const parts = new Map<string, Part<T>>();
  return (values: readonly T[]): void => {
    const keys = new Set(values.map(({ key }) => key));
    for (const [key, part] of parts)
      if (!keys.has(key)) {
        part.element.remove();
        parts.delete(key);
      }
    let before: Element | null = null;
    for (const value of values) {
      const part = parts.get(value.key) ?? create(value);
      parts.set(value.key, part);
      part.show(value);
      const wanted: ChildNode | null = before === null ? parent.firstChild : before.nextSibling;
      if (wanted !== part.element) parent.insertBefore(part.element, wanted);
      before = part.element;
    }
  };
}
