import { say } from "../../../kit/locale.ts";
import type { ChatCommand } from "./chat-command.ts";
import { commandError } from "./command-error.ts";

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
    );
    return undefined;
  },
};
