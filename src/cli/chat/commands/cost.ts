import type { ChatCommand } from "./chat-command.ts";

export const cost: ChatCommand = {
  name: "/cost",
  argument: "",
  help: { zh: "显示本次聊天的用量与费用", en: "shows what this chat has used and cost" },
  run(chat) {
    chat.write(...chat.bill.lines(chat.settings.locale));
    return undefined;
  },
};
