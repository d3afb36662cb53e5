import { say, type Text } from "../../../kit/locale.ts";
import { toShortLine } from "../../../kit/text/sanitize.ts";
import type { PickOptions } from "../../questions/reader.ts";
import type { Chat } from "../chat.ts";
import { type ChatCommand, chooseOrList, commandError } from "./chat-command.ts";

/** Stands for the agent that answers where no other is chosen. */
const main = "main";

export const agent: ChatCommand = {
  name: "/agent",
  argument: "[NAME|main]",
  help: {
    zh: "选择由哪个智能体回答（会清除对话历史）",
    en: "chooses the agent that answers (starts a new conversation)",
  },
  complete: async ({ duet: { agents }, settings: { locale } }) => [
    { text: main, help: say(locale, mainHelp) },
    ...agents.map(({ name, description }) => ({ text: name, help: toShortLine(description, 80) })),
  ],
  async run(chat, argument, signal) {
    const chosen = argument === "" ? await chooseOrList(chat, createPicking(chat), agent, signal) : argument;
    if (chosen !== undefined) switchTo(chosen, chat);
    return undefined;
  },
};

const mainHelp: Text = { zh: "主智能体", en: "the main agent" };

function createPicking({ duet: { agents }, settings: { locale, agent: inForce } }: Chat): PickOptions<string> {
  return {
    title: say(locale, { zh: "由哪个智能体回答？", en: "Which agent answers?" }),
    choices: [
      { value: main, label: main, detail: say(locale, mainHelp), words: [main] },
      ...agents.map(({ name, description }) => ({
        value: name,
        label: name,
        detail: toShortLine(description, 80),
        words: [name],
      })),
    ],
    chosen: inForce ?? main,
  };
}

/** Chooses the agent, and with it the mode that it has. */
function switchTo(name: string, chat: Chat): void {
  const { settings, duet, config } = chat;
  const { locale } = settings;
  const found = duet.agents.find((each) => each.name === name);
  if (found === undefined && name !== main) throw unknownAgentError(name, duet.agents);
  if (settings.agent === found?.name) {
    chat.write(say(locale, { zh: `已经由 ${name} 回答，没有改变。`, en: `${name} already answers; nothing changed.` }));
    return;
  }
  settings.agent = found?.name;
  settings.mode = found?.mode ?? config.agent.terminalMode;
  const left = chat.conversation.leaveForSwitch();
  chat.write(say(locale, describeSwitch(name, left.isKept)));
  left.offer();
  chat.refresh();
}

function describeSwitch(name: string, isKept: boolean): Text {
  return isKept
    ? { zh: `现在由 ${name} 回答，对话历史保留。`, en: `${name} answers now; the history is kept.` }
    : { zh: `现在由 ${name} 回答，对话历史已清除。`, en: `${name} answers now; the history is cleared.` };
}

function unknownAgentError(name: string, agents: readonly { name: string }[]) {
  const shown = toShortLine(name, 40);
  const names = [main, ...agents.map((each) => each.name)].join(", ");
  return commandError(
    { zh: `没有智能体 "${shown}"`, en: `Unknown agent "${shown}"` },
    { zh: `可选：${names}。`, en: `Allowed: ${names}.` },
  );
}
