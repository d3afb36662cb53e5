import type { Source } from "../../core/tools/tool.ts";
import { sanitizeLine } from "../../kit/text/sanitize.ts";
import type { SearchEntry } from "./wire.ts";

/**
 * The entries of a result list that can be cited: each page once, with a web address; what lacks a title is named by its
 * host. Where the date of a page is known, its snippet begins with it.
 */
export function toSources(entries: readonly SearchEntry[], maxResults: number): Source[] {
  const sources = new Map<string, Source>();
  for (const entry of entries) {
    if (sources.size >= maxResults) break;
    const url = webAddress(entry.url);
    if (url === undefined || sources.has(url.href)) continue;
    const title = oneLine(entry.title) || url.host;
    const snippet = [dateOf(entry.date), oneLine(entry.text)].filter(Boolean).join(" · ");
    sources.set(url.href, { title, url: url.href, snippet });
  }
  return [...sources.values()];
}

function webAddress(value: unknown): URL | undefined {
  const url = typeof value === "string" ? URL.parse(value) : null;
  return url !== null && /^https?:$/.test(url.protocol) ? url : undefined;
}

/** The day as it is written, whatever its time zone; `Jan 2, 2026` and `3 days ago` as they are. */
function dateOf(value: unknown): string {
  const text = oneLine(value);
  const [day] = /^\d{4}-\d\d-\d\d/.exec(text) ?? [];
  return day ?? (/\d/.test(text) && text.length <= 20 ? text : "");
}

function oneLine(value: unknown): string {
  return typeof value === "string" ? sanitizeLine(value.slice(0, 20_000)).replace(/\s+/g, " ") : "";
}
