import { say, type Text } from "../../../kit/locale.ts";
import { renderEntry } from "../../conversations/conversation-lines.ts";
import { nothingKept } from "../../conversations/nothing-kept.ts";
import { createLine, type Line, type Style } from "../../terminal/text/line.ts";
import type { ChatCommand } from "./chat-command.ts";

/** Limits how many conversations are listed. */
const maxListed = 20;

export const conversations: ChatCommand = {
  name: "/conversations",
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
