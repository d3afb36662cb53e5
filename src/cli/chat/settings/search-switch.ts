import type { Mode } from "../../../core/run/outcome.ts";
import { type Locale, say, type Text } from "../../../kit/locale.ts";
import { toShortLine } from "../../../kit/text/sanitize.ts";
import { describeSearchChoice } from "../../../render/mode-names.ts";

/** Holds a chat's switch for web search. It applies in chat mode; other modes leave it unchanged. */
export interface SearchSwitch {
  on: boolean;
  /** The configuration takes web search away, so it cannot be switched on. */
  readonly isBarred: boolean;
}

export interface SwitchOptions {
  readonly locale: Locale;
  readonly mode: Mode;
  readonly search: SearchSwitch;
}

export const switchStates: Readonly<Record<"on" | "off", Text>> = {
  on: { zh: "开", en: "on" },
  off: { zh: "关", en: "off" },
};

export function renderSwitch({ locale, mode, search }: SwitchOptions): string {
  if (mode !== "chat") {
    const why = describeSearchChoice(mode, locale);
    return say(locale, { zh: `联网搜索开关已禁用：${why}`, en: `The search switch is disabled: ${why}` });
  }
  const { zh, en } = switchStates[search.on ? "on" : "off"];
  return say(locale, { zh: `联网搜索：${zh}`, en: `Web search: ${en}` });
}

/** Runs `/search on` or `/search off` and returns the line that reports the result. Any other word changes nothing. */
export function setSwitch(place: SwitchOptions, word: string): string {
  const { locale, mode, search } = place;
  if (mode !== "chat") return describeSearchChoice(mode, locale);
  if (word !== "" && word !== "on" && word !== "off") {
    const shown = toShortLine(word, 40);
    return say(locale, { zh: `"${shown}" 无效。可选：on、off。`, en: `"${shown}" is not valid. Allowed: on, off.` });
  }
  if (word === "on" && search.isBarred)
    return say(locale, {
      zh: "联网搜索已在配置中关闭（--no-search 或 search.enabled）。",
      en: "Web search is turned off by the configuration (--no-search or search.enabled).",
    });
  if (word !== "") search.on = word === "on";
  return renderSwitch(place);
}
