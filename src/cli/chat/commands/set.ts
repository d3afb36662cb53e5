import { unknownKeyError } from "../../../config/config-errors.ts";
import { say } from "../../../kit/locale.ts";
import { toShortLine } from "../../../kit/text/sanitize.ts";
import type { Line } from "../../terminal/text/line.ts";
import type { Chat } from "../chat-state.ts";
import type { Setting } from "../settings/setting.ts";
import type { ChatCommand } from "./chat-command.ts";

export const set: ChatCommand = {
  name: "/set",
  argument: "[KEY [VALUE|default]]",
  help: {
    zh: "显示或修改模型参数与限制（不清除对话历史）",
    en: "shows or changes the models' parameters and the limits (keeps the history)",
  },
  async complete(chat) {
    const settings = await loadSettings();
    return settings.map(({ key, allowed }) => ({ text: key, help: say(chat.settings.locale, allowed) }));
  },
  async run(chat, argument) {
    const settings = await loadSettings();
    const [, typed = "", value = ""] = /^([^\s=]*)[\s=]*([\s\S]*)$/.exec(argument) ?? [];
    if (typed === "") return void chat.write(...(await renderSettings(settings, chat)));
    const setting = findSetting(settings, typed);
    if (value === "") return void chat.write(...(await renderSettings([setting], chat)));
    const before = await setting.value(chat);
    await setting.change(chat, value.toLowerCase() === "default" ? undefined : value);
    const now = await setting.value(chat);
    chat.write(`${setting.key}${say(chat.settings.locale, { zh: "：", en: ": " })}${before} → ${now}`);
    return undefined;
  },
};

async function loadSettings(): Promise<Setting[]> {
  const [{ parameterSettings }, { createLimitSettings }] = await Promise.all([
    import("../settings/parameter-settings.ts"),
    import("../settings/limit-settings.ts"),
  ]);
  return [...parameterSettings, ...createLimitSettings()];
}

function findSetting(settings: readonly Setting[], typed: string): Setting {
  const wanted = typed.toLowerCase().replaceAll("-", "_");
  const found = settings.find(({ key }) => key === wanted);
  if (found) return found;
  const keys = settings.map(({ key }) => key);
  throw unknownKeyError(`/set ${toShortLine(typed, 40)}`, typed, keys);
}

async function renderSettings(settings: readonly Setting[], chat: Chat): Promise<Line[]> {
  const { locale } = chat.settings;
  const rows = await Promise.all(settings.map(async (setting) => ({ ...setting, shown: await setting.value(chat) })));
  const [keyWidth, valueWidth] = [
    Math.max(...rows.map(({ key }) => key.length)),
    Math.max(...rows.map(({ shown }) => shown.length)),
  ];
  return rows.map(({ key, shown, allowed }) => [
    { text: `  ${key.padEnd(keyWidth)}  ` },
    { text: shown.padEnd(valueWidth), styles: ["strong"] },
    { text: `  ${say(locale, allowed)}`, styles: ["dim"] },
  ]);
}
