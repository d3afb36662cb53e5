import { type Locale, say, type Text } from "../../../kit/locale.ts";
import { toShortLine } from "../../../kit/text/sanitize.ts";
import type { Picking } from "../../questions/reader.ts";
import type { Chat } from "../chat-state.ts";
import type { ChatCommand } from "./chat-command.ts";
import { chooseOrList } from "./choose.ts";
import { commandError } from "./command-error.ts";

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
    chat.settings.language = chosen;
    chat.write(say(chosen, switchedText));
    chat.refresh();
    return undefined;
  },
};

const switchedText: Text = { zh: "界面语言：中文", en: "Language: English" };

function createLocalePicking(chat: Chat): Picking<Locale> {
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
