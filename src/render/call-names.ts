import type { AgentEvent } from "../core/events.ts";
import { type Locale, say, type Text } from "../kit/locale.ts";
import { shortLine } from "../kit/text/short-line.ts";

/** A model may ask for a tool by any name, of any length; in UTF-16 units. */
const longestName = 80;

/** A call by its tool's name, a search by the name that agent-mode.md gives it. */
export function callName(tool: string, locale: Locale): string {
  return named(tool, { zh: "搜索", en: "search" }, locale);
}

/** The same once its result is there. */
export function resultName(tool: string, locale: Locale): string {
  return named(tool, { zh: "搜索结果", en: "search results" }, locale);
}

function named(tool: string, search: Text, locale: Locale): string {
  return tool === "web_search" ? `${say(locale, search)} · ${tool}` : shortLine(tool, longestName);
}

/** How many sources a search found. */
export function resultCount(count: number, locale: Locale): string {
  return say(locale, { zh: `${count} 条结果`, en: count === 1 ? "1 result" : `${count} results` });
}

/** How far a call has come; a server that gives no message has at least numbers. Not cleaned. */
export function progressText(event: Extract<AgentEvent, { type: "tool-progress" }>): string {
  const { message, progress, total } = event;
  if (message) return message;
  return progress === undefined ? "" : progressCounts(progress, total);
}

export function progressCounts(progress: number, total: number | undefined): string {
  return total === undefined ? String(progress) : `${progress}/${total}`;
}
