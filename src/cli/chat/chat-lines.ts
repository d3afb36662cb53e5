import { say } from "../../kit/locale.ts";
import { modeNames } from "../../render/mode-names.ts";
import { createLine, type Line } from "../terminal/text/line.ts";
import type { ChatSettings } from "./chat.ts";
import { renderSwitch } from "./settings/search-switch.ts";

/** Returns the mode and the state of the search, shown before the input. */
export function renderPrompt({ locale, mode, agent, search }: ChatSettings): string {
  const searches = mode === "chat" && search.on ? say(locale, { zh: " · 搜索", en: " · search" }) : "";
  const chosen = agent === undefined ? "" : ` · ${agent}`;
  return `${say(locale, modeNames[mode])}${chosen}${searches} > `;
}

/**
 * Renders the welcome. Where there is no line at the bottom, it is the only place that shows the state of the search. The mode is left
 * out where a conversation that is about to be opened brings its own.
 */
export function renderWelcome(settings: ChatSettings, knowsMode = true): string {
  const { locale } = settings;
  const place = ["Duet", ...(knowsMode ? [renderMode(settings)] : [])].join(" · ");
  return say(locale, {
    zh: `${place} · /help 查看命令，/mode 切换模式，/exit 退出`,
    en: `${place} · /help lists the commands, /mode switches the mode, /exit quits`,
  });
}

/** Renders the mode and, where that has a switch, whether it searches. */
export function renderMode(settings: ChatSettings): string {
  const { locale, mode } = settings;
  return [say(locale, modeNames[mode]), ...(mode === "chat" ? [renderSwitch(settings)] : [])].join(" · ");
}

/** Renders how to return to the conversation that was left. */
export function renderFarewell({ locale }: ChatSettings, conversationId: string): Line {
  const command = `duet --conversation ${conversationId}`;
  return createLine(say(locale, { zh: `继续这次对话：${command}`, en: `To continue it: ${command}` }), "dim");
}
