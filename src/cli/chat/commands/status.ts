import { say } from "../../../kit/locale.ts";
import type { Line } from "../../terminal/text/line.ts";
import { countCells, padCells } from "../../terminal/text/width.ts";
import type { ChatCommand } from "./chat-command.ts";

export const status: ChatCommand = {
  name: "/status",
  runsAtOnce: true,
  argument: "",
  help: {
    zh: "显示状态行的全部内容：上下文、用量、费用、文件夹、分支、模型",
    en: "shows all of the status line: context, tokens, cost, folder, branch, models",
  },
  run({ settings: { locale }, status: line, conversation, write }) {
    const name = { zh: "对话", en: "Conversation" };
    const none = say(locale, { zh: "新的对话，还没有提问", en: "a new one; no question yet" });
    const facts = [...line.listFacts(), { name, value: conversation.id ?? none }];
    const names = facts.map(({ name }) => say(locale, name));
    const width = Math.max(...names.map(countCells));
    write(
      ...facts.map(({ value }, index): Line => {
        const name = names[index] ?? "";
        return [{ text: `${padCells(name, width)}  `, styles: ["dim"] }, { text: value }];
      }),
    );
    return undefined;
  },
};
