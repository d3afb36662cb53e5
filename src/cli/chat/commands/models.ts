import type { ModelChanges } from "../../../app/models/change-models.ts";
import { say, type Text } from "../../../kit/locale.ts";
import type { Chat } from "../chat.ts";
import { listModelChoices, resolveModelName, switchModels } from "../settings/switch-models.ts";
import { type ChatCommand, chooseOrList } from "./chat-command.ts";

export const model: ChatCommand = {
  name: "/model",
  argument: "[provider/model]",
  help: {
    zh: "切换模型（会清除对话历史）；另有回答模型时，切换的是工具调用模型",
    en: "switches the model (starts a new conversation); with a separate answer model, only the function-call model",
  },
  complete: async (chat) => (await chat.duet.models.listNames()).map((text) => ({ text })),
  async run(chat, argument, signal) {
    const { models } = chat.settings;
    if (argument !== "") {
      const functionCall = await resolveModelName(chat, argument, signal);
      await switchModels(chat, "functionCall", { ...models, functionCall });
      return undefined;
    }
    const choices = await listModelChoices(chat, "functionCall", signal);
    const inForce = choices[0]?.value;
    const title = say(chat.settings.locale, { zh: "🤖 模型", en: "🤖 Model" });
    const functionCall = await chooseOrList(chat, { title, choices, chosen: inForce }, model, signal);
    if (functionCall === undefined) return undefined;
    // The one in force may have been given with more than its name.
    await switchModels(chat, "functionCall", functionCall === inForce ? models : { ...models, functionCall });
    return undefined;
  },
};

export const answerModel: ChatCommand = {
  name: "/answer-model",
  argument: "[provider/model|same]",
  help: {
    zh: "切换回答模型（会清除对话历史）；same 表示由工具调用模型回答",
    en: "switches the answer model (starts a new conversation); same: the function-call model also answers",
  },
  async complete(chat) {
    const names = await chat.duet.models.listNames();
    return [{ text: same, help: say(chat.settings.locale, sameHelp) }, ...names.map((text) => ({ text }))];
  },
  async run(chat, argument, signal) {
    const { models } = chat.settings;
    const changes =
      argument === "" ? await pickAnswerModel(chat, signal) : { answer: await readAnswerModel(chat, argument, signal) };
    if (changes !== undefined) await switchModels(chat, "answer", { ...models, ...changes });
    return undefined;
  },
};

const same = "same";
const sameHelp: Text = { zh: "由工具调用模型回答", en: "the function-call model also answers" };

async function readAnswerModel(chat: Chat, typed: string, signal: AbortSignal): Promise<string | null> {
  return typed.toLowerCase() === same ? null : resolveModelName(chat, typed, signal);
}

/** Returns the change to make. It is empty when the model in force is chosen, and undefined when none is. */
async function pickAnswerModel(chat: Chat, signal: AbortSignal): Promise<Pick<ModelChanges, "answer"> | undefined> {
  const { locale, models } = chat.settings;
  const { functionCall, answer } = await chat.duet.models.open(models);
  const isOne = functionCall === answer;
  const others = await listModelChoices(chat, "answer", signal);
  const inForce = isOne ? same : others[0]?.value;
  const oneForBoth = { value: same, label: same, detail: say(locale, sameHelp), words: [same] };
  const choices = [oneForBoth, ...(isOne ? others.slice(1) : others)];
  const title = say(locale, { zh: "🤖 回答模型", en: "🤖 Answer model" });
  const chosen = await chooseOrList(chat, { title, choices, chosen: inForce }, answerModel, signal);
  if (chosen === undefined) return undefined;
  if (chosen === inForce) return {};
  return { answer: chosen === same ? null : chosen };
}
