import { say } from "../../../kit/locale.ts";
import { setSwitch } from "../../search-switch.ts";
import type { ChatCommand } from "./chat-command.ts";

export const search: ChatCommand = {
  name: "/search",
  argument: "[on|off]",
  help: { zh: "查看或开关联网搜索（仅 Chat 模式）", en: "shows web search, or switches it on or off (chat mode only)" },
  async complete({ settings: { mode, locale } }) {
    if (mode !== "chat") return [];
    return [
      { text: "on", help: say(locale, { zh: "每个问题先联网搜索", en: "searches the web for each question first" }) },
      { text: "off", help: say(locale, { zh: "不联网搜索", en: "does not search" }) },
    ];
  },
  run(chat, argument) {
    chat.write(setSwitch(chat.settings, argument.toLowerCase()));
    chat.refresh();
    return undefined;
  },
};
