import type { AgentEvent } from "../core/events.ts";
import { type Locale, say, type Text } from "../kit/locale.ts";
import { toShortLine } from "../kit/text/short-line.ts";

/** A model may ask for a tool by any name, of any length; in UTF-16 units. */
const longestName = 80;

/** A call by its tool's name, a search by the name that agent-mode.md gives it. */
export function toCallName(tool: string, locale: Locale): string {
  return named(tool, { zh: "搜索", en: "search" }, locale);
}

/** The same once its result is there. */
export function toResultName(tool: string, locale: Locale): string {
  return named(tool, { zh: "搜索结果", en: "search results" }, locale);
}

function named(tool: string, search: Text, locale: Locale): string {
  return tool === "web_search" ? `${say(locale, search)} · ${tool}` : toShortLine(tool, longestName);
}

/** How many sources a search found. */
export function renderResultCount(count: number, locale: Locale): string {
  return say(locale, { zh: `${count} 条结果`, en: count === 1 ? "1 result" : `${count} results` });
}

/** How far a call has come; a server that gives no message has at least numbers. Not cleaned. */
export function renderProgress(event: Extract<AgentEvent, { type: "tool-progress" }>): string {
  const { message, progress, total } = event;
  if (message) return message;
  return progress === undefined ? "" : renderProgressCounts(progress, total);
}

export function renderProgressCounts(progress: number, total: number | undefined): string {
  return total === undefined ? String(progress) : `${progress}/${total}`;
}
