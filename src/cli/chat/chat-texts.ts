import { say } from "../../kit/locale.ts";
import { describeSearchChoice, modeNames } from "../../render/mode-names.ts";
import { renderSwitch } from "../search-switch.ts";
import { createLine, type Line } from "../terminal/text/line.ts";
import type { ChatSettings } from "./chat-state.ts";

/** The mode and the state of the search, in front of what is typed. */
export function renderPrompt({ locale, mode, search }: ChatSettings): string {
  const searches = mode === "chat" && search.on ? say(locale, { zh: " · 搜索", en: " · search" }) : "";
  return `${say(locale, modeNames[mode])}${searches} > `;
}

/** The line at the bottom; `models` is empty while they are not known. */
export function renderStatus(
  settings: ChatSettings,
  { models, canStop }: { models: string; canStop: boolean },
): string {
  const { locale, mode } = settings;
  const stop = canStop && say(locale, { zh: "Esc 停止", en: "Esc stops" });
  const search = mode === "chat" ? renderSwitch(settings) : describeSearchChoice(mode, locale);
  return [stop, models, search, "/help"].filter(Boolean).join(" · ");
}

/** Where no line stands at the bottom, this alone says how the search stands. */
export function renderWelcome(settings: ChatSettings): string {
  const { locale, mode } = settings;
  const search = mode === "chat" ? ` · ${renderSwitch(settings)}` : "";
  const place = `Duet · ${say(locale, modeNames[mode])}${search}`;
  return say(locale, {
    zh: `${place} · /help 查看命令，/mode 切换模式，/exit 退出`,
    en: `${place} · /help lists the commands, /mode switches the mode, /exit leaves`,
  });
}

/** How one comes back to the conversation that was left. */
export function renderFarewell({ locale }: ChatSettings, conversationId: string): Line {
  const command = `duet --conversation ${conversationId}`;
  return createLine(say(locale, { zh: `继续这次对话：${command}`, en: `To go on with it: ${command}` }), "dim");
}
