import { unitNames } from "../../../../core/limits/limit-row.ts";
import type { Text } from "../../../../kit/locale.ts";
import { sanitizeLine, toShortLine } from "../../../../kit/text/sanitize.ts";
import { describeSearchChoice, modeHelp, modeNames, modes } from "../../../../render/mode-names.ts";
import { type ModelKey, parameterNames, roles, shownLimits } from "../api/server-settings.ts";
import { chooseMode, chooseSearch, getModel, startConversation } from "./chat-choices.ts";
import { addNote, type ChatState } from "./chat-state.ts";
import { roleNames, searchBarred } from "./chat-texts.ts";

/**
 * Represents a command of the terminal chat that the page also has. The other commands have a control on the page or do not
 * apply.
 */
interface PageCommand {
  /** Shows the command with its arguments. */
  readonly usage: string;
  readonly help: Text;
  /** Is true where one word may follow. Whatever else follows makes a question of the text. */
  readonly hasArgument?: boolean;
  run(chat: ChatState, argument: string): ChatState;
}

const commands: Readonly<Record<string, PageCommand>> = {
  "/mode": {
    usage: "/mode chat|agent|plan",
    hasArgument: true,
    help: { zh: "切换对话模式（会清除对话历史）", en: "switches the mode (starts a new conversation)" },
    run: runMode,
  },
  "/search": {
    usage: "/search on|off",
    hasArgument: true,
    help: { zh: "开关联网搜索（仅 Chat 模式）", en: "switches web search on or off (chat mode only)" },
    run: runSearch,
  },
  "/config": {
    usage: "/config",
    help: { zh: "显示当前的模式、限制、模型与参数", en: "shows the mode, its limits, the models and their parameters" },
    run: (chat) => addNotes(chat, listConfigLines(chat)),
  },
  "/clear": {
    usage: "/clear",
    help: { zh: "清除对话历史，开始新的对话", en: "clears the history and starts a new conversation" },
    run: (chat) => addNote(startConversation(chat), { zh: "对话历史已清除。", en: "The history is cleared." }),
  },
  "/help": {
    usage: "/help",
    help: { zh: "显示这些命令", en: "shows these commands" },
    run: (chat) => addNotes(chat, listHelp()),
  },
};

/**
 * Returns true when a line is a command for the page and not a question for a model. A path such as `/etc/hosts` is not a
 * command.
 */
export function isCommand(line: string): boolean {
  return /^\/[a-z-]*(\s|$)/i.test(line);
}

/** Returns true for a command that the page has, with nothing behind it that the command would throw away. */
export function isKnownCommand(line: string): boolean {
  const [name = "", ...rest] = line.trim().split(/\s+/);
  const command = findCommand(name);
  return command !== undefined && rest.length <= (command.hasArgument === true ? 1 : 0);
}

function findCommand(name: string): PageCommand | undefined {
  return Object.hasOwn(commands, name.toLowerCase()) ? commands[name.toLowerCase()] : undefined;
}

/** Applies a command to the chat (docs/development/model-invocation.md#模式相关命令). An unknown command changes nothing. */
export function runCommand(chat: ChatState, line: string): ChatState {
  const [, name = "", argument = ""] = /^(\S*)\s*([\s\S]*)$/.exec(line) ?? [];
  const command = isKnownCommand(line) ? findCommand(name) : undefined;
  return command === undefined ? chat : command.run(chat, argument.trim().toLowerCase());
}

function runMode(chat: ChatState, argument: string): ChatState {
  const mode = modes.find((known) => known === argument);
  if (mode === undefined) {
    const { zh, en } = modeNames[chat.choices.mode];
    return addNote(chat, {
      zh: `当前模式：${zh}。可选：/mode chat、/mode agent、/mode plan。`,
      en: `Current mode: ${en}. Available: /mode chat, /mode agent, /mode plan.`,
    });
  }
  if (mode !== chat.choices.mode) return chooseMode(chat, mode);
  const { zh, en } = modeNames[mode];
  return addNote(chat, { zh: `已经是 ${zh}，没有改变。`, en: `${en} is already in use; nothing changed.` });
}

function runSearch(chat: ChatState, argument: string): ChatState {
  const { mode, search } = chat.choices;
  if (mode !== "chat")
    return addNote(chat, { zh: describeSearchChoice(mode, "zh"), en: describeSearchChoice(mode, "en") });
  if (chat.settings?.search.available === false) return addNote(chat, searchBarred[chat.settings.search.reason]);
  const isOn = argument === "on" || (argument !== "off" && search);
  return addNote(chooseSearch(chat, isOn), {
    zh: `联网搜索：${isOn ? "开" : "关"}（/search on|off）`,
    en: `Web search: ${isOn ? "on" : "off"} (/search on|off)`,
  });
}

/** Explains how the modes differ and how to switch between them (docs/development/model-invocation.md#帮助命令更新). */
function listHelp(): Text[] {
  const ofModes = modes.map((mode) => ({
    zh: `${modeNames[mode].zh}：${modeHelp[mode].zh}`,
    en: `${modeNames[mode].en}: ${modeHelp[mode].en}`,
  }));
  const ofCommands = Object.values(commands).map(({ usage, help }) => ({
    zh: `${usage}：${help.zh}`,
    en: `${usage}: ${help.en}`,
  }));
  return [...ofModes, ...ofCommands];
}

/** Says that a line is no command of the page, before it is sent to the models. */
export function describeUnknownCommand(typed: string): Text {
  const name = toShortLine(/^\S*/.exec(typed)?.[0] ?? "", 40);
  const usage = findCommand(name)?.usage;
  if (usage !== undefined)
    return {
      zh: `命令的写法是 ${usage}，后面不能再有别的内容。再按一次 Enter，就当作普通文字发送。`,
      en: `The command is written ${usage}, with nothing behind it. Press Enter again to send this all the same.`,
    };
  const known = Object.keys(commands);
  return {
    zh: `这个页面没有 ${name} 命令，只有 ${known.join("、")}。再按一次 Enter，就当作普通文字发送。`,
    en: `${name} is not a command of this page (available: ${known.join(", ")}). Press Enter again to send it all the same.`,
  };
}

function addNotes(chat: ChatState, lines: readonly Text[]): ChatState {
  return lines.reduce((all, line) => addNote(all, line), chat);
}

/** Lists the settings for the next question: the mode and its configuration, the models and their parameters. */
export function listConfigLines(chat: ChatState): Text[] {
  const { mode } = chat.choices;
  const modeLine: Text = {
    zh: `模式：${modeNames[mode].zh} · ${modeHelp[mode].zh}`,
    en: `Mode: ${modeNames[mode].en} · ${modeHelp[mode].en}`,
  };
  const limits = shownLimits.filter(({ appliesToChat }) => mode !== "chat" || appliesToChat);
  return [modeLine, ...limits.flatMap((row) => limitLine(chat, row)), ...roles.map((role) => describeRole(chat, role))];
}

function limitLine({ settings }: ChatState, { ask, title, unit }: (typeof shownLimits)[number]): Text[] {
  const value = settings?.limits[ask];
  if (value === undefined) return [];
  const name = unit && unitNames[unit];
  const zh = title.zh + (name ? `（${name.zh}）` : "");
  const en = title.en.charAt(0).toLowerCase() + title.en.slice(1) + (name ? ` (${name.en})` : "");
  return [{ zh: `${zh}：${value}`, en: `${en}: ${value}` }];
}

function describeRole(chat: ChatState, role: ModelKey): Text {
  const { choices, settings } = chat;
  const numbers = { ...settings?.parameters[role], ...choices.parameters[role] };
  const set = parameterNames.flatMap((name) => (numbers[name] === undefined ? [] : [`${name} ${numbers[name]}`]));
  const value = [sanitizeLine(getModel(chat, role)), ...set].join(" · ");
  return { zh: `${roleNames[role].zh}：${value}`, en: `${roleNames[role].en}: ${value}` };
}
