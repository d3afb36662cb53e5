import { isRecord } from "../../core/json.ts";
import { printableLine } from "../../core/printable.ts";
import type { Source } from "../../core/tool.ts";

/** The entries of a result list that can be cited: each page once, with a web address; what lacks a title is named by its host. */
export function toSources(results: readonly unknown[], maxResults: number): Source[] {
  const sources = new Map<string, Source>();
  for (const result of results) {
    if (sources.size >= maxResults) break;
    if (!isRecord(result)) continue;
    const url = webAddress(result.url);
    if (url === undefined || sources.has(url.href)) continue;
    const title = oneLine(result.title) || url.host;
    sources.set(url.href, { title, url: url.href, snippet: oneLine(result.content) });
  }
  return [...sources.values()];
}

function webAddress(value: unknown): URL | undefined {
  const url = typeof value === "string" ? URL.parse(value) : null;
  return url !== null && /^https?:$/.test(url.protocol) ? url : undefined;
}

function oneLine(value: unknown): string {
  return typeof value === "string" ? printableLine(value.slice(0, 20_000)).replace(/\s+/g, " ") : "";
}
