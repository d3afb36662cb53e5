import type { ConversationEntry } from "../../../core/store/store.ts";
import { type Locale, say, type Text } from "../../../kit/locale.ts";
import { sanitizeLine, toShortLine } from "../../../kit/text/sanitize.ts";
import { renderBill } from "../../../render/event-lines.ts";
import { nothingKept, renderEntry, renderTime, renderTurnCount } from "../../conversations/conversation-lines.ts";
import { pickOne } from "../../questions/pick-one.ts";
import { createLine, type Line, type Style } from "../../terminal/text/line.ts";
import type { Chat } from "../chat.ts";
import { type ChatCommand, commandError, renderUsageLine } from "./chat-command.ts";

/** `maxOffered` limits the conversations in the list, and `maxSearched` those searched for an ID that is not typed in full. */
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
    if (id !== undefined) await chat.resume(id);
    return undefined;
  },
};

export const continueRun: ChatCommand = {
  name: "/continue",
  argument: "",
  help: {
    zh: "继续达到限制的运行，或因程序意外结束而中断的运行",
    en: "goes on with the run that reached a limit, or that an unexpected end of the program interrupted",
  },
  async run(chat) {
    if (await chat.continueRun()) return undefined;
    chat.write(say(chat.settings.locale, { zh: "没有可以继续的运行。", en: "There is no run to go on with." }));
    return undefined;
  },
};

export const keep: ChatCommand = {
  name: "/keep",
  argument: "",
  help: {
    zh: "切换模式或模型之后，保留之前的对话历史",
    en: "carries the history over after a switch of the mode or the model",
  },
  run(chat) {
    const text = chat.keepHistory()
      ? { zh: "对话历史已保留。", en: "The history is carried over." }
      : {
          zh: "没有可以保留的历史：刚才没有切换。",
          en: "There is no history to carry over: nothing was switched just now.",
        };
    chat.write(say(chat.settings.locale, text));
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

export const clear: ChatCommand = {
  name: "/clear",
  argument: "",
  help: { zh: "清除对话历史，开始新的对话", en: "clears the history and starts a new conversation" },
  run(chat) {
    chat.startAnew();
    chat.write(say(chat.settings.locale, { zh: "对话历史已清除。", en: "The history is cleared." }));
    return undefined;
  },
};

export const compact: ChatCommand = {
  name: "/compact",
  argument: "",
  help: {
    zh: "把较早的对话压缩为摘要，以节省 token",
    en: "summarises the earlier turns to save tokens",
  },
  async run(chat, _argument, signal) {
    const { conversationId, duet, settings } = chat;
    const { locale } = settings;
    if (conversationId === undefined) {
      throw commandError({
        zh: "没有可以压缩的内容：对话还没有开始",
        en: "nothing to compact: the conversation has not started",
      });
    }
    chat.write(say(locale, { zh: "正在压缩对话…", en: "Summarising the conversation…" }));
    const models = await duet.models(settings.models);
    const done = await duet.compact({ conversationId, models, locale, signal });
    chat.bill.add(done);
    const { turns, tokensBefore, tokensAfter } = done;
    const saved = `${tokensBefore.toLocaleString("en")} → ${tokensAfter.toLocaleString("en")}`;
    const [before, after] = [turns + 1, 1];
    chat.write(
      say(locale, {
        zh: `已压缩：${before} 轮 → 摘要与 ${after} 轮，约 ${saved} 个 token。`,
        en: `Compacted: ${before} turns → a summary and ${after} turn, about ${saved} tokens.`,
      }),
      ...(done.meta.models.compact ? [renderBill(done, locale)] : []),
    );
    return undefined;
  },
};

/** Limits how many conversations are listed. */
const maxListed = 20;

export const conversations: ChatCommand = {
  name: "/conversations",
  runsAtOnce: true,
  argument: "",
  help: { zh: "列出保存的对话", en: "lists the saved conversations" },
  async run(chat) {
    const { locale } = chat.settings;
    const store = await chat.duet.store();
    const found = await store.list({ limit: maxListed + 1, offset: 0 });
    const lines = found.slice(0, maxListed).map((entry): Line => {
      const isThis = entry.id === chat.conversationId;
      return createLine(`${isThis ? "❯" : " "} ${renderEntry(entry, locale)}`, ...(isThis ? currentStyles : []));
    });
    chat.write(...lines);
    if (lines.length === 0) chat.write(say(locale, { zh: "没有对话。", en: "No conversations." }));
    if (found.length > maxListed) chat.write(say(locale, olderText));
    if (chat.config.conversations.store === "memory") chat.write(say(locale, nothingKept));
    return undefined;
  },
};

const currentStyles: readonly Style[] = ["accent"];

const olderText: Text = {
  zh: `还有更早的：duet conversations --offset ${maxListed}`,
  en: `There are older ones: duet conversations --offset ${maxListed}`,
};
