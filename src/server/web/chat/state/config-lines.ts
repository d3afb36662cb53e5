import type { Text } from "../../../../kit/locale.ts";
import { sanitizeLine } from "../../../../kit/text/sanitize.ts";
import { modeHelp, modeNames } from "../../../../render/mode-names.ts";
import { type LimitName, parameterNames, type Role, roles } from "../api/server-settings.ts";
import { getModel } from "./chat-choices.ts";
import type { ChatState } from "./chat-state.ts";
import { roleNames } from "./chat-texts.ts";

const limitTexts: Record<LimitName, Text> = {
  max_iterations: { zh: "最大迭代次数", en: "maximum iterations" },
  max_tool_calls: { zh: "最大工具调用次数", en: "maximum tool calls" },
  timeout_s: { zh: "最大执行时间（秒）", en: "time limit (seconds)" },
};

/** What counts for the next question: the mode with what is configured for it, the models and their parameters. */
export function listConfigLines(chat: ChatState): Text[] {
  const { mode } = chat.choices;
  const modeLine: Text = {
    zh: `模式：${modeNames[mode].zh} · ${modeHelp[mode].zh}`,
    en: `Mode: ${modeNames[mode].en} · ${modeHelp[mode].en}`,
  };
  const limits = mode === "chat" ? chatLimits : agentLimits;
  return [modeLine, ...limits.flatMap((name) => limitLine(chat, name)), ...roles.map((role) => roleLine(chat, role))];
}

/** A plain answer takes no rounds and calls no tools. */
const chatLimits: readonly LimitName[] = ["timeout_s"];
const agentLimits: readonly LimitName[] = ["max_iterations", "max_tool_calls", "timeout_s"];

function limitLine({ settings }: ChatState, name: LimitName): Text[] {
  const value = settings?.limits[name];
  if (value === undefined) return [];
  const { zh, en } = limitTexts[name];
  return [{ zh: `${zh}：${value}`, en: `${en}: ${value}` }];
}

function roleLine(chat: ChatState, role: Role): Text {
  const { choices, settings } = chat;
  const numbers = { ...settings?.parameters[role], ...choices.parameters[role] };
  const set = parameterNames.flatMap((name) => (numbers[name] === undefined ? [] : [`${name} ${numbers[name]}`]));
  const value = [sanitizeLine(getModel(chat, role)), ...set].join(" · ");
  return { zh: `${roleNames[role].zh}：${value}`, en: `${roleNames[role].en}: ${value}` };
}
