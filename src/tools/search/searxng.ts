import { isRecord } from "../../core/json.ts";
import { printableLine } from "../../core/printable.ts";
import type { Source } from "../../core/tool.ts";
import { type SearchBackend, searchAddress, searchError } from "./backend.ts";
import type { JsonResponse } from "./request-json.ts";
import { toSources } from "./sources.ts";

export interface SearxngSettings {
  /** Where the instance lives, without `/search`. User information in it is sent as Basic authentication. */
  url: string;
}

const party = "SearXNG";

export function createSearxng(settings: SearxngSettings): SearchBackend {
  const { url, headers } = address(settings.url);
  return {
    party,
    thirdParty: false,
    host: url.host,
    async search(query, { maxResults, signal }) {
      const target = new URL(url);
      target.search = new URLSearchParams({ q: query, format: "json" }).toString();
      const { requestJson } = await import("./request-json.ts");
      return readSearxng(await requestJson({ party, url: target, method: "GET", headers, signal }), maxResults);
    },
  };
}

function address(text: string): { url: URL; headers: Record<string, string> } {
  const url = searchAddress(text, "SEARXNG_URL");
  const { username, password } = url;
  url.username = "";
  url.password = "";
  if (username === "" && password === "") return { url, headers: {} };
  const credentials = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString("base64");
  return { url, headers: { authorization: `Basic ${credentials}` } };
}

/** Throws a `DuetError` for every answer that is not a search: an engine that could not be asked did not find nothing. */
export function readSearxng({ status, body, retryAfterMs }: JsonResponse, maxResults: number): Source[] {
  if (status === 403) {
    throw searchError(party, "settings", {
      zh: "实例拒绝 JSON 格式（HTTP 403）",
      en: "the instance refuses the JSON format (HTTP 403)",
      hint: {
        zh: "在该实例的 settings.yml 中把 json 加入 search.formats",
        en: "Add json to search.formats in the instance's settings.yml.",
      },
    });
  }
  if (status === 401)
    throw searchError(party, "auth", { zh: "需要登录（HTTP 401）", en: "it asks for a sign-in (HTTP 401)" });
  if (status === 429)
    throw searchError(party, "rate", { zh: "请求过多（HTTP 429）", en: "too many requests (HTTP 429)", retryAfterMs });
  if (status !== 200 || !isRecord(body) || !Array.isArray(body.results)) {
    const said = isRecord(body) && typeof body.error === "string" ? ` ${printableLine(body.error.slice(0, 300))}` : "";
    const text = `HTTP ${status}${said}`;
    throw searchError(party, status >= 500 ? "blocked" : "bad-response", { zh: text, en: text });
  }
  const dead = Array.isArray(body.unresponsive_engines) ? body.unresponsive_engines.map(engineName) : [];
  if (body.results.length === 0 && dead.length > 0) {
    const list = dead.slice(0, 10).join(", ");
    throw searchError(party, "blocked", {
      zh: `搜索引擎没有响应：${list}`,
      en: `its engines did not respond: ${list}`,
    });
  }
  return toSources(body.results, maxResults);
}

/** `["brave", "Suspended: too many requests"]`, or just a name. */
function engineName(entry: unknown): string {
  const [name, reason] = Array.isArray(entry) ? entry : [entry];
  return printableLine(reason === undefined ? `${name}` : `${name} (${reason})`).slice(0, 100);
}
