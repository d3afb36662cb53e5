import type { ModelChanges } from "../../../app/models/change-models.ts";
import type { ModelList } from "../../../app/models/list-models.ts";
import type { ModelCatalog } from "../../../app/models/model-catalog.ts";
import { toModelName } from "../../../core/model/model.ts";
import { say, type Text } from "../../../kit/locale.ts";
import { sanitizeLine } from "../../../kit/text/sanitize.ts";
import { vendors } from "../../../providers/vendors.ts";
import { describeSwitchedModel } from "../../../render/mode-names.ts";
import type { Choice } from "../../questions/reader.ts";
import type { Chat, ChatSettings } from "../chat.ts";

/** Names the role whose model a command changes. */
export type ModelRole = "functionCall" | "answer";

/**
 * Has the chat go on with these models, in a new conversation, and says so. Where they are those in force, says only that. Throws,
 * with nothing changed, where one of them cannot be.
 */
export async function switchModels(chat: Chat, role: ModelRole, changes: ModelChanges): Promise<void> {
  const { settings, duet } = chat;
  const [before, now] = [await duet.models.open(settings.models), await duet.models.open(changes)];
  const name = sanitizeLine(toModelName(now[role]));
  const isSame = before.functionCall === now.functionCall && before.answer === now.answer;
  settings.models = changes;
  if (isSame) return chat.write(say(settings.locale, describeUnchanged(name)));
  const left = chat.conversation.leaveForSwitch();
  chat.refresh();
  const other = sanitizeLine(toModelName(now[role === "answer" ? "functionCall" : "answer"]));
  const roles = now.functionCall === now.answer ? noText : roleTexts[role](other);
  const text = describeSwitchedModel(name, left.isKept);
  chat.write(say(settings.locale, { zh: text.zh + roles.zh, en: text.en + roles.en }));
  left.offer();
}

/**
 * Lists the models that can be chosen. The one that plays the role now is first. Says which vendors did not list theirs, and why.
 */
export async function listModelChoices(chat: Chat, role: ModelRole, signal: AbortSignal): Promise<Choice<string>[]> {
  const [models, { names, unlisted }] = await Promise.all([
    chat.duet.models.open(chat.settings.models),
    chat.duet.models.list(signal),
  ]);
  for (const one of unlisted) chat.write(sanitizeLine(say(chat.settings.locale, describeUnlisted(one))));
  const inForce = toModelName(models[role]);
  return [...new Set([inForce, ...names])].map((name) => ({
    value: name,
    label: name,
    words: [toBareName(name)],
  }));
}

/**
 * Resolves what was typed to `provider/model`. The bare name of a model that can be chosen is enough, and of a variant
 * that a vendor's row knows.
 */
export async function resolveModelName(chat: Chat, typed: string, signal: AbortSignal): Promise<string> {
  if (typed.includes("/") || typed.startsWith("{")) return typed;
  const variant = typed.toLowerCase();
  const vendor = Object.keys(vendors).find((id) => vendors[id]?.modelEnv?.match.test(variant));
  if (vendor !== undefined) return `${vendor}/${variant}`;
  if (!/[-\d]/.test(typed)) return typed;
  const names = await chat.duet.models.listNames(signal);
  return names.find((name) => toBareName(name) === typed.toLowerCase()) ?? typed;
}

function describeUnlisted({ provider, reason }: ModelList["unlisted"][number]): Text {
  return {
    zh: `没有取得 ${provider} 的模型列表，只列出已知的模型：${reason.zh}`,
    en: `The list of ${provider}'s models is not available, so the known ones are shown: ${reason.en}`,
  };
}

function toBareName(name: string): string {
  return name.slice(name.indexOf("/") + 1).toLowerCase();
}

function describeUnchanged(name: string): Text {
  return { zh: `正在使用模型 ${name}，没有改变。`, en: `${name} is already in use; nothing changed.` };
}

const noText: Text = { zh: "", en: "" };

const roleTexts: Record<ModelRole, (other: string) => Text> = {
  functionCall: (other) => ({
    zh: `（工具调用模型；回答模型是 ${other}，用 /answer-model 更换）`,
    en: ` (It calls the tools; ${other} answers: /answer-model changes that.)`,
  }),
  answer: (other) => ({
    zh: `（回答模型；工具调用模型是 ${other}，用 /model 更换）`,
    en: ` (It answers; ${other} calls the tools: /model changes that.)`,
  }),
};

/** Provides the names of the models in force as soon as they are known. The prompt does not wait for them. */
export interface ModelNames {
  /** Returns `functionCall → answer`, or the one model that plays both roles. It is empty while they are not known. */
  line(): string;
  refresh(): void;
}

export function createModelNames(
  catalog: Pick<ModelCatalog, "open">,
  settings: Pick<ChatSettings, "models">,
  onChange: () => void,
): ModelNames {
  let line = "";
  let asked = 0;
  return {
    line: () => line,
    refresh() {
      asked += 1;
      const mine = asked;
      catalog.open(settings.models).then(
        ({ functionCall, answer }) => {
          if (mine !== asked) return;
          line =
            functionCall === answer ? toModelName(answer) : `${toModelName(functionCall)} → ${toModelName(answer)}`;
          onChange();
        },
        // The question that needs them reports what is wrong with them.
        () => {},
      );
    },
  };
}
