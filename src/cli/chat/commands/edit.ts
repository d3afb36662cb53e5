import { type ChatCommand, commandError } from "./chat-command.ts";

export const edit: ChatCommand = {
  name: "/edit",
  aliases: ["/editor"],
  argument: "[TEXT]",
  help: {
    zh: "用 $VISUAL 或 $EDITOR 写问题（也可以按 Ctrl-X）",
    en: "writes the question in $VISUAL or $EDITOR (so does Ctrl-X)",
  },
  async run(chat, argument) {
    if (chat.reader === undefined) throw commandError(needsTerminal);
    await chat.edit(argument);
    return undefined;
  },
};

const needsTerminal = { zh: "/edit 需要终端", en: "/edit needs a terminal" };
