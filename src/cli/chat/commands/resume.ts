import type { ConversationEntry } from "../../../app/open-duet.ts";
import { type Locale, say } from "../../../kit/locale.ts";
import { sanitizeLine, toShortLine } from "../../../kit/text/sanitize.ts";
import { renderEntry, renderTime, renderTurnCount } from "../../conversations/conversation-lines.ts";
import { pickOne } from "../../questions/pick-one.ts";
import type { Chat } from "../chat-state.ts";
import { type ChatCommand, renderUsageLine } from "./chat-command.ts";
import { commandError } from "./command-error.ts";

/** `offered` limits the conversations in the list, and `lookedAt` those searched for an ID that is not typed in full. */
const maxOffered = 50;
const maxSearched = 1_000;

export const resume: ChatCommand = {
  name: "/resume",
  argument: "[ID]",
  help: { zh: "继续一个保存的对话", en: "continues a saved conversation" },
  async complete({ duet, settings: { locale } }) {
    const entries = await (await duet.store()).list({ limit: maxOffered, offset: 0 });
    return entries.map((entry) => ({ text: entry.id, help: renderTitle(entry, locale) }));
  },
  async run(chat, argument, signal) {
    const id = argument === "" ? await pickConversation(chat, signal) : await findConversationId(argument, chat);
    if (id !== undefined) await chat.goOn(id);
    return undefined;
  },
};

async function pickConversation(chat: Chat, signal: AbortSignal): Promise<string | undefined> {
  const { locale } = chat.settings;
  const entries = await (await chat.duet.store()).list({ limit: maxOffered, offset: 0 });
  if (entries.length === 0) {
    chat.write(say(locale, { zh: "还没有可以继续的对话。", en: "There is no conversation to continue yet." }));
    return undefined;
  }
  // Who cannot be asked types an id.
  if (!chat.reader) {
    chat.write(...entries.map((entry) => `  ${renderEntry(entry, locale)}`), renderUsageLine(resume, locale));
    return undefined;
  }
  const picking = {
    title: say(locale, { zh: "🗂 继续哪个对话", en: "🗂 Continue which conversation" }),
    choices: entries.map((entry) => ({
      value: entry.id,
      label: renderTitle(entry, locale),
      detail: [renderTime(entry.updatedAt), renderTurnCount(entry, locale)].join(" · "),
    })),
    chosen: chat.conversationId,
  };
  return pickOne(chat.reader, picking, signal);
}

function renderTitle({ id, title }: ConversationEntry, locale: Locale): string {
  const shown = sanitizeLine(id);
  return title === "" ? say(locale, { zh: `（未完成）${shown}`, en: `(unfinished) ${shown}` }) : toShortLine(title, 60);
}

/**
 * Completes an ID. A text that no ID begins with is returned as typed, and the chat then says that there is no such
 * conversation.
 */
async function findConversationId(typed: string, { duet }: Chat): Promise<string> {
  const entries = await (await duet.store()).list({ limit: maxSearched, offset: 0 });
  const found = entries.filter(({ id }) => id.startsWith(typed)).map(({ id }) => id);
  if (found.includes(typed) || found.length === 0) return typed;
  const [first, ...others] = found;
  if (first !== undefined && others.length === 0) return first;
  const shown = toShortLine(typed, 60);
  const ids = found.slice(0, 5).map(sanitizeLine).join(", ");
  throw commandError({
    zh: `不止一个对话的编号以 ${shown} 开头：${ids}`,
    en: `More than one conversation ID starts with ${shown}: ${ids}`,
  });
}
