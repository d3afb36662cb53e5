import { say } from "../../core/locale.ts";
import { switchLine } from "../search-switch.ts";
import type { ChatSettings } from "./chat-state.ts";
import { modeNames } from "./modes.ts";

/** The mode and the state of the search, in front of what is typed. */
export function promptOf({ locale, mode, search }: ChatSettings): string {
  const searches = mode === "chat" && search.on ? say(locale, { zh: " · 搜索", en: " · search" }) : "";
  return `${say(locale, modeNames[mode])}${searches} > `;
}

/** The line at the bottom; `models` is empty while they are not known. */
export function statusOf(settings: ChatSettings, { models, isBusy }: { models: string; isBusy: boolean }): string {
  const stop = isBusy && say(settings.locale, { zh: "Esc 停止", en: "Esc stops" });
  return [stop, models, switchLine(settings), "/help"].filter(Boolean).join(" · ");
}

/** Where no line stands at the bottom, this alone says how the search stands. */
export function welcomeOf(settings: ChatSettings): string {
  const { locale, mode } = settings;
  const search = mode === "chat" ? ` · ${switchLine(settings)}` : "";
  const place = `Duet · ${say(locale, modeNames[mode])}${search}`;
  return say(locale, {
    zh: `${place} · /help 查看命令，/mode 切换模式，/exit 退出`,
    en: `${place} · /help lists the commands, /mode switches the mode, /exit leaves`,
  });
}
