import type { ChatCommand } from "./chat-command.ts";

export const exit: ChatCommand = {
  name: "/exit",
  aliases: ["/quit"],
  argument: "",
  help: { zh: "退出（也可以按 Ctrl-D）", en: "exits (so does Ctrl-D)" },
  run: () => "exit",
};
