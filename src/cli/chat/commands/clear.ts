import { say } from "../../../kit/locale.ts";
import type { ChatCommand } from "./chat-command.ts";

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
