import { unknownKeyError } from "../../../config/config-errors.ts";
import { type Locale, say, type Text } from "../../../kit/locale.ts";
import { toShortLine } from "../../../kit/text/sanitize.ts";
import type { PickOptions } from "../../questions/reader.ts";
import type { Line } from "../../terminal/text/line.ts";
import { countCells, padCells } from "../../terminal/text/width.ts";
import type { Chat } from "../chat.ts";
import type { Setting } from "../settings/setting.ts";
import { type ChatCommand, chooseOrList, commandError } from "./chat-command.ts";

export const config: ChatCommand = {
  name: "/config",
  runsAtOnce: true,
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

const locales: readonly Locale[] = ["zh", "en"];

/** Each language has its own name, so that a person who cannot read the other one finds it. */
const languages: Record<Locale, string> = { zh: "中文", en: "English" };

export const lang: ChatCommand = {
  name: "/lang",
  argument: "[zh|en]",
  help: { zh: "切换界面语言", en: "switches the language of the chat" },
  complete: async () => locales.map((known) => ({ text: known, help: languages[known] })),
  async run(chat, argument, signal) {
    const chosen =
      argument === "" ? await chooseOrList(chat, createLocalePicking(chat), lang, signal) : readLocale(argument);
    if (chosen === undefined) return undefined;
    chat.settings.locale = chosen;
    chat.write(say(chosen, switchedText));
    chat.refresh();
    return undefined;
  },
};

const switchedText: Text = { zh: "界面语言：中文", en: "Language: English" };

function createLocalePicking(chat: Chat): PickOptions<Locale> {
  const { locale } = chat.settings;
  return {
    title: say(locale, { zh: "🌐 界面语言", en: "🌐 Language" }),
    choices: locales.map((value) => ({
      value,
      label: languages[value],
      detail: value,
      words: [value],
    })),
    chosen: locale,
  };
}

function readLocale(argument: string): Locale {
  const found = locales.find((known) => known === argument.toLowerCase());
  if (found) return found;
  const shown = toShortLine(argument, 40);
  throw commandError(
    { zh: `没有 "${shown}" 这种界面语言`, en: `Unknown language "${shown}"` },
    { zh: "可选：zh、en。", en: "Allowed: zh, en." },
  );
}

export const set: ChatCommand = {
  name: "/set",
  runsAtOnce: true,
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
    import("../settings/setting.ts"),
    import("../settings/setting.ts"),
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
    Math.max(...rows.map(({ key }) => countCells(key))),
    Math.max(...rows.map(({ shown }) => countCells(shown))),
  ];
  return rows.map(({ key, shown, allowed }) => [
    { text: `  ${padCells(key, keyWidth)}  ` },
    { text: padCells(shown, valueWidth), styles: ["strong"] },
    { text: `  ${say(locale, allowed)}`, styles: ["dim"] },
  ]);
}
