import { say } from "../../../kit/locale.ts";
import type { Line } from "../../terminal/text/line.ts";
import type { ChatCommand } from "./chat-command.ts";

export const config: ChatCommand = {
  name: "/config",
  argument: "",
  help: {
    zh: "显示当前的模式、模型、参数与配置文件",
    en: "shows the mode, the models, their parameters and the configuration file",
  },
  async run(chat) {
    const { listConfigFacts } = await import("../settings/config-facts.ts");
    const facts = await listConfigFacts(chat);
    const { locale } = chat.settings;
    const colon = locale === "zh" ? "：" : ": ";
    chat.write(
      ...facts.map(
        ({ name, value, isDetail }): Line => [
          { text: `${isDetail ? "  " : ""}${say(locale, name)}${colon}`, styles: ["dim"] },
          { text: value },
        ],
      ),
    );
    return undefined;
  },
};
