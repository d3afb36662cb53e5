import type { ModelSettings } from "../../core/model/model-settings.ts";
import { version } from "../../kit/version.ts";

/** Holds the URL of a wire's requests and their headers. */
export interface Address {
  url: string;
  /** Is the path of the wire alone, with which a vendor's client makes an address of its own. */
  path: string;
  headers: Record<string, string>;
}

type AddressSettings = Pick<ModelSettings, "baseUrl" | "apiKey" | "headers" | "query">;

/** Returns where a model's requests go. A query in the base URL stays at the end, as gateways and Azure want it. */
export function toAddress(settings: AddressSettings, path: string, headers: Record<string, string> = {}): Address {
  const { apiKey } = settings;
  return {
    url: toRequestUrl(settings, path).href,
    path,
    headers: {
      ...usualHeaders,
      ...(apiKey && { authorization: `Bearer ${apiKey}` }),
      ...headers,
      ...toLowerCase(settings.headers),
    },
  };
}

/** Appends a path and the configured query to the base URL. */
export function toRequestUrl({ baseUrl, query = {} }: Pick<ModelSettings, "baseUrl" | "query">, path: string): URL {
  const url = new URL(baseUrl);
  url.pathname = url.pathname.replace(/\/$/, "") + path;
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  return url;
}

/** These go out with every request, whoever writes the others. */
export const usualHeaders = {
  accept: "application/json",
  "accept-encoding": "identity",
  "content-type": "application/json",
  "user-agent": `duet-mcp/${version}`,
};

/** Has a configured header replace ours, however it is written. */
export function toLowerCase(headers: Readonly<Record<string, string>> = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
