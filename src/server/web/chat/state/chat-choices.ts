import type { Mode } from "../../../../core/run/outcome.ts";
import type { Text } from "../../../../kit/locale.ts";
import { sanitizeLine } from "../../../../kit/text/sanitize.ts";
import { describeSwitchedMode, describeSwitchedModel, modeNames } from "../../../../render/mode-names.ts";
import type { Conversation } from "../api/conversation.ts";
import { type ModelKey, type ParameterName, roles } from "../api/server-settings.ts";
import { addNote, type ChatState, showTalk } from "./chat-state.ts";
import { chatTexts, describeChangedSetting, roleNames } from "./chat-texts.ts";

/**
 * Choosing another mode begins a new conversation and says so (docs/development/model-invocation.md#模式切换). The search switch does
 * not change.
 */
export function chooseMode(chat: ChatState, mode: Mode): ChatState {
  // Chosen is chosen, also where it changes nothing: what the server says later does not take it back.
  if (mode === chat.choices.mode && !chat.choices.agent) return { ...chat, choices: { ...chat.choices } };
  const { zh, en } = modeNames[mode];
  const isKept = chat.settings?.keepsHistory === true;
  const text: Text = { zh: describeSwitchedMode(zh, isKept).zh, en: describeSwitchedMode(en, isKept).en };
  return switchTo(chat, { ...chat.choices, mode, agent: undefined }, text, isKept);
}

/** Begins a new conversation, and offers to go back to the one that is left; goes on with it where the server says so. */
function switchTo(chat: ChatState, choices: ChatState["choices"], text: Text, isKept: boolean): ChatState {
  const next = { ...chat, choices };
  return isKept ? addNote(next, text) : addNote(startConversation(next), text, chat.conversationId);
}

/** Choosing an agent begins a new conversation as well. */
export function chooseAgent(chat: ChatState, agent: string): ChatState {
  if (agent === chat.choices.agent) return chat;
  const isKept = chat.settings?.keepsHistory === true;
  const { zh, en } = describeSwitchedMode(agent, isKept);
  return switchTo(chat, { ...chat.choices, agent }, { zh, en }, isKept);
}

export function chooseSearch(chat: ChatState, search: boolean): ChatState {
  return { ...chat, choices: { ...chat.choices, search } };
}

/** Choosing another model begins a new conversation too (docs/development/model-invocation.md#模型切换). */
export function chooseModel(chat: ChatState, role: ModelKey, name: string): ChatState {
  const { choices, settings } = chat;
  if (name === getModel(chat, role)) return chat;
  const { [role]: _, ...others } = choices.models;
  const models = name === settings?.models[role] ? others : { ...others, [role]: name };
  const isKept = settings?.keepsHistory === true;
  const { zh, en } = describeSwitchedModel(sanitizeLine(name), isKept);
  // The two may be called alike.
  const text = { zh: `${roleNames[role].zh}：${zh}`, en: `${roleNames[role].en}: ${en}` };
  return switchTo(chat, { ...choices, models }, text, isKept);
}

/** Goes on in the mode and with the models of a conversation's last run, as far as they can be chosen. */
export function restoreChoices(chat: ChatState, { mode = chat.choices.mode, models: last }: Conversation): ChatState {
  const { settings, choices } = chat;
  if (last === undefined || settings === undefined) return { ...chat, choices: { ...choices, mode } };
  const named = roles.filter((role) => last[role] !== settings.models[role] && settings.choices.includes(last[role]));
  const models = Object.fromEntries(named.map((role) => [role, last[role]]));
  return { ...chat, choices: { ...choices, mode, models } };
}

/** Keeps the history (docs/development/model-invocation.md#参数调节功能). Undefined restores the server's value. */
export function chooseParameter(
  chat: ChatState,
  role: ModelKey,
  name: ParameterName,
  value: number | undefined,
): ChatState {
  const { choices, settings } = chat;
  const describeValue = (number = settings?.parameters[role][name]): Text =>
    number === undefined ? chatTexts.notSet : { zh: String(number), en: String(number) };
  const before = choices.parameters[role]?.[name];
  if (before === value) return chat;
  const { [name]: _, ...others } = choices.parameters[role] ?? {};
  const own = value === undefined ? others : { ...others, [name]: value };
  const parameters = { ...choices.parameters, [role]: own };
  const changed = describeChangedSetting(`${role}.${name}`, describeValue(before), describeValue(value));
  return addNote({ ...chat, choices: { ...choices, parameters } }, changed);
}

export function getModel({ choices, settings }: ChatState, role: ModelKey): string {
  return choices.models[role] ?? settings?.models[role] ?? "";
}

/** Begins a new conversation without the previous history. */
export function startConversation(chat: ChatState): ChatState {
  return showTalk(chat, undefined, [], []);
}
