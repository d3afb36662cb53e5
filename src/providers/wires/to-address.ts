import type { ModelSettings } from "../../core/model-settings.ts";
import { version } from "../../kit/version.ts";

/** Holds the URL of a wire's requests and their headers. */
export interface Address {
  url: string;
  headers: Record<string, string>;
}

/** Returns where a model's requests go. A query in the base URL stays at the end, as gateways and Azure want it. */
export function toAddress(
  { baseUrl, apiKey }: Pick<ModelSettings, "baseUrl" | "apiKey">,
  path: string,
  headers: Record<string, string> = {},
): Address {
  const url = new URL(baseUrl);
  url.pathname = url.pathname.replace(/\/$/, "") + path;
  return {
    url: url.href,
    headers: {
      accept: "application/json",
      "accept-encoding": "identity",
      "content-type": "application/json",
      "user-agent": `duet-mcp/${version}`,
      ...(apiKey && { authorization: `Bearer ${apiKey}` }),
      ...headers,
    },
  };
}
