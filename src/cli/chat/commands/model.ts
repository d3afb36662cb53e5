import { say } from "../../../kit/locale.ts";
import { listModelChoices, resolveModelName, switchModels } from "../settings/switch-models.ts";
import type { ChatCommand } from "./chat-command.ts";
import { chooseOrList } from "./choose.ts";

export const model: ChatCommand = {
  name: "/model",
  argument: "[provider/model]",
  help: {
    zh: "切换模型（会清除对话历史）；另有回答模型时，切换的是工具调用模型",
    en: "switches the model (starts a new conversation); with a separate answer model, only the function-call model",
  },
  complete: async (chat) => (await chat.duet.modelNames()).map((text) => ({ text })),
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
