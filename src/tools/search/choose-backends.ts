import type { Dispatcher } from "undici";
import { createOnce } from "../../kit/async/once.ts";
import { DuetError } from "../../kit/errors.ts";
import { findRoute } from "../../kit/net/proxy-rules.ts";
import type { SearchBackend } from "./backend.ts";
import { type AnsweringService, readAnswer } from "./read-answer.ts";
import {
  type BackendSettings,
  type SearchBackendName,
  type SearchBackendRow,
  type SearchOptions,
  searchBackendNames,
  searchBackends,
} from "./search-backends.ts";
import type { SearchWire } from "./wire.ts";

/** Describes a backend that is used as `wire` defines. Its code is imported on first use. */
interface Place extends AnsweringService {
  url: URL;
  /** Is true when the query goes to a party with which the user has no account. */
  thirdParty: boolean;
  wire(): Promise<SearchWire>;
}

/**
 * Returns the selected backends in the order in which they are tried. A named one is used alone. For `auto`, those with a key
 * come first, then the user's own server or, without one, those that need no key if that is allowed, then those that are
 * enabled. Throws a `DuetError` when one is not configured.
 */
export function chooseBackends(options: SearchOptions): SearchBackend[] {
  const { backend, keyless } = options;
  if (backend !== "auto") return [openBackend(toPlace(backend, options[backend]), options)];
  const withKey = searchBackendNames.filter((name) => options[name]?.apiKey !== undefined);
  const own = searchBackendNames.filter((name) => options[name]?.url !== undefined);
  const free = own.length === 0 && keyless ? listNames("key-or-free") : [];
  const enabled = listNames("opt-in").filter((name) => options[name]?.enabled);
  const chosen = [
    ...[...withKey, ...own].map((name) => toPlace(name, options[name])),
    ...free.map((name) => toPlace(name, { ...options[name], apiKey: undefined })),
    ...enabled.map((name) => toPlace(name, options[name])),
  ];
  return chosen.map((place) => openBackend(place, options));
}

function listNames(access: SearchBackendRow["access"]): SearchBackendName[] {
  return searchBackendNames.filter((name) => searchBackends[name].access === access);
}

/** Returns how a backend is reached with its settings. One with a key is used with it. */
function toPlace(name: SearchBackendName, settings: BackendSettings = {}): Place {
  const row: SearchBackendRow = searchBackends[name];
  const { title: party, baseUrlEnv, path, wire } = row;
  if (row.access === "own-server") {
    if (settings.url === undefined)
      throw unsetVariableError(`search.backend 是 ${name}，但`, `search.backend is ${name}, but `, baseUrlEnv);
    return { party, url: toWebAddress(settings.url, baseUrlEnv, path), thirdParty: false, wire };
  }
  const url = toWebAddress(settings.baseUrl ?? row.baseUrl, baseUrlEnv, path);
  if (row.access === "opt-in") return { party, url, thirdParty: true, wire };
  const { keyEnv: keyVariable, keylessMcp: mcp } = row;
  const { apiKey: key } = settings;
  if (key !== undefined) return { party, url, key, keyVariable, thirdParty: false, wire };
  if (row.access === "key")
    throw unsetVariableError(`${party} 需要密钥，但`, `${party} needs a key, but `, keyVariable);
  if (mcp === undefined) return { party, url, keyVariable, thirdParty: true, wire };
  return {
    party,
    url: toWebAddress(settings.mcpUrl ?? mcp.url, mcp.env),
    keyVariable,
    thirdParty: true,
    wire: mcp.wire,
  };
}

function unsetVariableError(zh: string, en: string, variable: string): DuetError {
  return new DuetError({
    code: "config",
    text: { zh: `${zh}没有设置 ${variable}`, en: `${en}${variable} is not set.` },
  });
}

/** Returns the address of a path under a base URL. Throws a `DuetError` that names the setting. */
function toWebAddress(base: string, setting: string, path?: string): URL {
  const url = path === undefined ? URL.parse(base) : URL.parse(path, base.replace(/\/*$/, "/"));
  if (url !== null && /^https?:$/.test(url.protocol)) return url;
  const zh = `${setting} 不是 http(s) 地址："${base}"`;
  throw new DuetError({ code: "config", text: { zh, en: `${setting} is not an http(s) address: "${base}"` } });
}

/** Limits how long connecting by a proxy may take, in milliseconds. The limit of the whole search is shorter. */
const connectMs = 30_000;

function openBackend(place: Place, { network }: Pick<SearchOptions, "network">): SearchBackend {
  const { party, url, thirdParty, key } = place;
  const route = findRoute(network, url);
  const openRoute = createOnce(async (): Promise<Dispatcher | undefined> => {
    if (route === undefined) return undefined;
    return (await import("../../kit/net/create-dispatcher.ts")).createDispatcher(route, { connectMs });
  });
  return {
    party,
    thirdParty,
    host: url.host,
    hasKey: key !== undefined,
    async search(query, { maxResults, timeoutMs, signal }) {
      const [{ sendSearch }, wire, dispatcher] = await Promise.all([
        import("./request.ts"),
        place.wire(),
        openRoute.get(),
      ]);
      const call = wire.ask(query, { maxResults, key });
      return readAnswer(wire, place, await sendSearch({ party, url, call, timeoutMs, signal, dispatcher }), maxResults);
    },
  };
}
