import type { Mode } from "../../../core/run/outcome.ts";
import { say } from "../../../kit/locale.ts";
import { toShortLine } from "../../../kit/text/sanitize.ts";
import { describeSwitchedMode, modeHelp, modeNames, modes, modeTitle } from "../../../render/mode-names.ts";
import type { PickOptions } from "../../questions/reader.ts";
import type { Chat } from "../chat.ts";
import { renderSwitch, setSwitch } from "../settings/search-switch.ts";
import { type ChatCommand, chooseOrList, commandError } from "./chat-command.ts";

export const mode: ChatCommand = {
  name: "/mode",
  argument: "[chat|agent|plan]",
  help: { zh: "切换对话模式（会清除对话历史）", en: "switches the mode (starts a new conversation)" },
  complete: async ({ settings: { locale } }) =>
    modes.map((known) => ({ text: known, help: say(locale, modeHelp[known]) })),
  async run(chat, argument, signal) {
    const chosen =
      argument === "" ? await chooseOrList(chat, createModePicking(chat), mode, signal) : readMode(argument);
    if (chosen !== undefined) switchTo(chosen, chat);
    return undefined;
  },
};

function createModePicking(chat: Chat): PickOptions<Mode> {
  const { locale, mode: inForce } = chat.settings;
  return {
    title: say(locale, modeTitle),
    choices: modes.map((value) => ({
      value,
      label: say(locale, modeNames[value]),
      detail: say(locale, modeHelp[value]),
      words: [value],
    })),
    chosen: inForce,
  };
}

function readMode(argument: string): Mode {
  const found = modes.find((known) => known === argument.toLowerCase());
  if (found) return found;
  const shown = toShortLine(argument, 40);
  throw commandError(
    { zh: `没有 "${shown}" 模式`, en: `Unknown mode "${shown}"` },
    { zh: "可选：chat、agent、plan。", en: "Allowed: chat, agent, plan." },
  );
}

/** Switches the mode. The search switch is unchanged and applies again when the chat returns to chat mode. */
function switchTo(chosen: Mode, chat: Chat): void {
  const { settings } = chat;
  const { locale } = settings;
  const name = say(locale, modeNames[chosen]);
  if (chosen === settings.mode) {
    chat.write(say(locale, { zh: `已经是 ${name}，没有改变。`, en: `${name} is already in use; nothing changed.` }));
    return;
  }
  settings.mode = chosen;
  const left = chat.conversation.leaveForSwitch();
  chat.write(say(locale, describeSwitchedMode(name, left.isKept)), renderSwitch(settings));
  left.offer();
  chat.refresh();
}

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
