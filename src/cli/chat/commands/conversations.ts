import { longestTitle } from "../../../core/store/conversations/conversation-title.ts";
import { say, type Text } from "../../../kit/locale.ts";
import { sanitizeLine, toShortLine } from "../../../kit/text/sanitize.ts";
import { renderBill } from "../../../render/event-lines.ts";
import { nothingKept, renderEntry } from "../../conversations/conversation-lines.ts";
import { createLine, type Line, type Style } from "../../terminal/text/line.ts";
import { type ChatCommand, commandError, renderUsageLine } from "./chat-command.ts";
import { everywhere, readPlace } from "./resume.ts";

export const continueRun: ChatCommand = {
  name: "/continue",
  argument: "",
  help: {
    zh: "继续达到限制的运行，或因程序意外结束而中断的运行",
    en: "goes on with the run that reached a limit, or that an unexpected end of the program interrupted",
  },
  async run(chat, _, signal) {
    if (await chat.continueRun(signal)) return undefined;
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
    const text = chat.conversation.keepHistory()
      ? { zh: "对话历史已保留。", en: "The history is carried over." }
      : {
          zh: "没有可以保留的历史：刚才没有切换。",
          en: "There is no history to carry over: nothing was switched just now.",
        };
    chat.write(say(chat.settings.locale, text));
    return undefined;
  },
};

export const clear: ChatCommand = {
  name: "/clear",
  argument: "",
  help: { zh: "清除对话历史，开始新的对话", en: "clears the history and starts a new conversation" },
  run(chat) {
    chat.conversation.startAnew();
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
    const { conversation, duet, settings } = chat;
    const { id: conversationId, branch } = conversation;
    const { locale } = settings;
    if (conversationId === undefined) {
      throw commandError({
        zh: "没有可以压缩的内容：对话还没有开始",
        en: "nothing to compact: the conversation has not started",
      });
    }
    chat.write(say(locale, { zh: "正在压缩对话…", en: "Summarising the conversation…" }));
    const models = await duet.models.open(settings.models);
    const done = await duet.compact({ conversationId, branch, models, locale, signal });
    chat.bill.add(done);
    chat.refresh();
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

export const rename: ChatCommand = {
  name: "/rename",
  argument: "NAME",
  help: {
    zh: "给当前对话命名，命名后不会被自动清理",
    en: "names the conversation, which is then kept for good",
  },
  async run(chat, argument) {
    const { conversation, duet, settings } = chat;
    const { id } = conversation;
    const { locale } = settings;
    const store = await duet.store();
    const name = sanitizeLine(argument);
    if (name === "")
      throw commandError(emptyName, { zh: renderUsageLine(rename, "zh"), en: renderUsageLine(rename, "en") });
    if (name.length > longestTitle) throw commandError(describeLongName(name.length));
    if (id === undefined || !(await store.change?.(id, { name })))
      throw commandError({
        zh: "对话还没有开始，先提一个问题",
        en: "the conversation has not begun: ask something first",
      });
    const shown = toShortLine(name, 100);
    chat.write(say(locale, { zh: `这个对话现在叫“${shown}”。`, en: `This conversation is now called “${shown}”.` }));
    return undefined;
  },
};

const emptyName: Text = { zh: "没有给出名字", en: "no name was given" };

function describeLongName(length: number): Text {
  return {
    zh: `名字有 ${length} 个字符（允许：最多 ${longestTitle} 个）`,
    en: `the name has ${length} characters (allowed: at most ${longestTitle})`,
  };
}

/** Limits how many conversations are listed. */
const maxListed = 20;

export const conversations: ChatCommand = {
  name: "/conversations",
  runsAtOnce: true,
  argument: "[all]",
  help: {
    zh: "列出在这个文件夹中开始的对话，all 列出全部",
    en: "lists the conversations that began in this folder; all: every one",
  },
  complete: async () => [{ text: everywhere }],
  async run(chat, argument) {
    const { locale } = chat.settings;
    const store = await chat.duet.store();
    const folder = readPlace(argument, chat, conversations);
    const found = await store.list({ limit: maxListed + 1, offset: 0, folder });
    const lines = found.slice(0, maxListed).map((entry): Line => {
      const isThis = entry.id === chat.conversation.id;
      return createLine(`${isThis ? "❯" : " "} ${renderEntry(entry, locale)}`, ...(isThis ? currentStyles : []));
    });
    chat.write(...lines);
    if (lines.length === 0) chat.write(say(locale, folder === undefined ? noneText : noneHereText));
    if (found.length > maxListed) chat.write(say(locale, olderText));
    if (chat.config.conversations.store === "memory") chat.write(say(locale, nothingKept));
    return undefined;
  },
};

const noneText: Text = { zh: "没有对话。", en: "No conversations." };
const noneHereText: Text = {
  zh: "这个文件夹中还没有对话。/conversations all 列出全部。",
  en: "No conversations in this folder. /conversations all lists every one.",
};

const currentStyles: readonly Style[] = ["accent"];

const olderText: Text = {
  zh: "还有更早的：/resume 按文字查找。",
  en: "There are older ones: /resume finds them by their words.",
};
