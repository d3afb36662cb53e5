import { isRecord } from "../../../kit/json.ts";
import { sanitizeLine } from "../../../kit/text/sanitize.ts";
import { type SearchRefusal, type SearchWire, toEntries } from "../wire.ts";

/** Uses the user's own SearXNG or searx server: https://docs.searxng.org/dev/search_api.html. */
export const searxng: SearchWire = {
  ask: (query) => ({ search: { q: query, format: "json" } }),
  entries({ results, unresponsive_engines: dead }) {
    const entries = toEntries(results, ({ title, url, content, publishedDate }) => ({
      title,
      url,
      text: content,
      date: publishedDate,
    }));
    // Engines that could not be asked did not find nothing.
    return entries?.length === 0 && Array.isArray(dead) && dead.length > 0 ? undefined : entries;
  },
  refusal({ status, body }) {
    if (status === 403) return noJson;
    if (status !== 200 || !isRecord(body) || !Array.isArray(body.unresponsive_engines)) return undefined;
    const list = body.unresponsive_engines.slice(0, 10).map(getEngineName).join(", ");
    return { kind: "blocked", reason: { zh: `搜索引擎没有响应：${list}`, en: `its engines did not respond: ${list}` } };
  },
};

const noJson: SearchRefusal = {
  kind: "settings",
  reason: { zh: "实例拒绝 JSON 格式（HTTP 403）", en: "the instance refuses the JSON format (HTTP 403)" },
  hint: {
    zh: "在该实例的 settings.yml 中把 json 加入 search.formats",
    en: "Add json to search.formats in the instance's settings.yml.",
  },
};

/** Reads `["brave", "Suspended: too many requests"]`, or only a name. */
function getEngineName(entry: unknown): string {
  const [name, reason] = Array.isArray(entry) ? entry : [entry];
  return sanitizeLine(reason === undefined ? `${name}` : `${name} (${reason})`).slice(0, 100);
}
