import type { ConversationEntry } from "../../../core/store/conversations/entries.ts";
import { type Locale, say, type Text } from "../../../kit/locale.ts";
import { sanitizeLine, toShortLine } from "../../../kit/text/sanitize.ts";
import { renderTime } from "../../../render/render-time.ts";
import { renderEntry, renderTurnCount } from "../../conversations/conversation-lines.ts";
import { findConversationId } from "../../conversations/find-conversation.ts";
import { pickOne } from "../../questions/pick-one.ts";
import type { Choice } from "../../questions/reader.ts";
import type { Chat } from "../chat.ts";
import { type ChatCommand, commandError, renderUsageLine } from "./chat-command.ts";

/** `maxOffered` limits the conversations in the list, and `maxSearched` those among which words are looked for. */
const maxOffered = 200;
const maxSearched = 1_000;

/** Stands for all folders. */
export const everywhere = "all";

export const resume: ChatCommand = {
  name: "/resume",
  argument: "[WORDS|ID|all]",
  help: {
    zh: "继续一个在这个文件夹中开始的对话，all 表示全部；词语在标题和问题中查找",
    en: "continues a conversation that began in this folder, all: in any; words are looked for in titles and questions",
  },
  async complete({ duet, folder, settings: { locale } }) {
    const entries = await (await duet.store()).list({ limit: maxOffered, offset: 0, folder });
    return [
      { text: everywhere, help: say(locale, everywhereText) },
      ...entries.map((entry) => ({ text: entry.id, help: renderTitle(entry, locale) })),
    ];
  },
  async run(chat, argument, signal) {
    const words = argument.trim();
    const id = words.startsWith("conv-")
      ? await findConversationId(await chat.duet.store(), words)
      : await chooseConversation(chat, words, signal);
    if (id !== undefined) await chat.conversation.resume(id, signal);
    return undefined;
  },
};

const everywhereText: Text = { zh: "所有文件夹中的对话", en: "conversations of all folders" };

/** Reads whether every folder is meant; returns the folder of the chat, or undefined for all. */
export function readPlace(
  argument: string,
  { folder }: Pick<Chat, "folder">,
  command: Pick<ChatCommand, "name" | "argument">,
): string | undefined {
  if (argument === "") return folder;
  if (argument.toLowerCase() === everywhere) return undefined;
  const shown = toShortLine(argument, 40);
  throw commandError(
    { zh: `"${shown}" 无效`, en: `"${shown}" is not valid` },
    { zh: renderUsageLine(command, "zh"), en: renderUsageLine(command, "en") },
  );
}

/** Lets a conversation be chosen, with the words typed so far; the first word may be `all`. */
async function chooseConversation(chat: Chat, typed: string, signal: AbortSignal): Promise<string | undefined> {
  const { locale } = chat.settings;
  const [, all, words = ""] = /^(all\b)?\s*([\s\S]*)$/i.exec(typed) ?? [];
  const entries = await findEntries(chat, all === undefined ? chat.folder : undefined, words);
  const elsewhere = all === undefined ? await findEntries(chat, undefined, words) : [];
  if (entries.length === 0 && elsewhere.length === 0) {
    if (words !== "") throw nothingFoundError(words);
    chat.write(say(locale, { zh: "还没有可以继续的对话。", en: "There is no conversation to continue yet." }));
    return undefined;
  }
  // Who cannot be asked types an ID.
  if (!chat.reader) {
    chat.write(...entries.map((entry) => `  ${renderEntry(entry, locale)}`), renderUsageLine(resume, locale));
    return undefined;
  }
  const [first] = entries;
  if (words !== "" && entries.length === 1 && first) return first.id;
  const more = elsewhere.length - entries.length;
  const others: Choice<string> = {
    value: everywhere,
    label: say(locale, { zh: `… 其他文件夹中的 ${more} 个`, en: `… ${more} from other folders` }),
    isAlwaysShown: true,
  };
  const choices = entries.slice(0, maxOffered).map((entry) => toChoice(entry, all !== undefined, locale));
  const picking = {
    title: say(locale, chat.reader.pick ? filterTitle : listTitle),
    choices: more > 0 ? [...choices, others] : choices,
    chosen: chat.conversation.id,
    filters: true,
  };
  const chosen = await pickOne(chat.reader, picking, signal);
  return chosen === everywhere ? chooseConversation(chat, `${everywhere} ${words}`, signal) : chosen;
}

const listTitle: Text = { zh: "🗂 继续哪个对话", en: "🗂 Continue which conversation" };
const filterTitle: Text = { zh: `${listTitle.zh}（输入文字筛选）`, en: `${listTitle.en} (type to filter)` };

/** Returns the conversations whose titles and questions have every one of the words, in any case. */
async function findEntries({ duet }: Chat, folder: string | undefined, words: string): Promise<ConversationEntry[]> {
  const store = await duet.store();
  const entries = await store.list({ limit: maxSearched, offset: 0, folder, withQuestions: true });
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  if (wanted.length === 0) return entries;
  return entries.filter(({ title, questions = "" }) => {
    const text = `${title}\n${questions}`.toLowerCase();
    return wanted.every((word) => text.includes(word));
  });
}

function toChoice(entry: ConversationEntry, showsFolder: boolean, locale: Locale): Choice<string> {
  const { id, title, questions = "", updatedAt, folder = "", isFork } = entry;
  const place = showsFolder && folder !== "" ? toShortLine(folder, 40) : "";
  const copy = isFork ? say(locale, { zh: "副本", en: "copy" }) : "";
  const facts = [renderTime(updatedAt), renderTurnCount(entry, locale), copy, place];
  return {
    value: id,
    // A narrow screen has no room for what stands beside it.
    label: `${isFork ? "⑂ " : ""}${renderTitle(entry, locale)}`,
    detail: facts.filter(Boolean).join(" · "),
    search: `${title}\n${questions}\n${place}`,
  };
}

function renderTitle({ id, title }: ConversationEntry, locale: Locale): string {
  const shown = sanitizeLine(id);
  return title === "" ? say(locale, { zh: `（未完成）${shown}`, en: `(unfinished) ${shown}` }) : toShortLine(title, 60);
}

function nothingFoundError(words: string): Error {
  const shown = toShortLine(words, 60);
  return commandError(
    { zh: `没有标题或问题中含有 "${shown}" 的对话`, en: `No conversation has "${shown}" in its title or questions` },
    { zh: "/resume 列出可以继续的对话。", en: "/resume lists those that can be continued." },
  );
}
