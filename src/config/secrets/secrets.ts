import type { ModelSettings, Vendor } from "../../core/model/model-settings.ts";
import { searchBackendNames } from "../../tools/search/search-backends.ts";
import type { Config } from "../config.ts";
import { listCalledModels } from "../models/called-models.ts";
import { listProxySecrets } from "../network.ts";
import { listEnvironmentSecrets } from "../sources/environment.ts";
import { findAddressSecrets, findArgumentSecrets, isSecretName, shortestSecret } from "./mask.ts";

/**
 * Returns everything that interfaces and logs must mask, the longest first: keys, tokens, and the secrets in headers, addresses
 * and servers' variables.
 */
export function listSecrets(config: Config): string[] {
  const { search, servers, agents, providers } = config;
  const called = listCalledModels(config);
  const addresses = [
    ...called.map(({ baseUrl }) => baseUrl),
    ...Object.values(providers).map(({ baseUrl }) => baseUrl),
  ];
  const backends = searchBackendNames.map((name) => search[name]);
  const searchAddresses = backends.flatMap((backend) => [backend?.baseUrl, backend?.url, backend?.mcpUrl]);
  const found = [
    ...listEnvironmentSecrets(config.environment),
    ...called.map(({ apiKey }) => apiKey),
    ...called.flatMap(listCloudSecrets),
    ...Object.values(providers).flatMap(listRequestSecrets),
    ...backends.map((backend) => backend?.apiKey),
    ...[...addresses, ...searchAddresses].flatMap((address) => findAddressSecrets(address ?? "")),
    ...listProxySecrets(config.network),
    config.httpToken,
    config.signInSecret,
    config.email?.password,
    ...findAddressSecrets(config.store.url ?? ""),
    ...servers.flatMap(listServerSecrets),
    ...agents.flatMap(({ acp }) => (acp ? listServerSecrets(acp) : [])),
  ].filter((secret) => secret !== undefined);
  const parts = found.flatMap((secret) => [secret, ...secret.split(/\s+/)]);
  return [...new Set(parts)].filter((secret) => secret.length >= shortestSecret).sort((a, b) => b.length - a.length);
}

/** Lists what the client of a cloud authenticates with. */
export function listCloudSecrets({ cloud }: Pick<ModelSettings, "cloud">): (string | undefined)[] {
  return [cloud?.apiKey, cloud?.token, cloud?.secretAccessKey, cloud?.sessionToken];
}

/** Lists the headers and the query that a provider's requests have in addition. */
export function listRequestSecrets({ headers = {}, query = {} }: Pick<Vendor, "headers" | "query">): string[] {
  const sent = Object.entries(headers).filter(([name]) => !isHarmless(name));
  return [...sent, ...Object.entries(query)].map(([, value]) => value);
}

function listServerSecrets({ transport }: Pick<Config["servers"][number], "transport">): string[] {
  if (transport.type !== "stdio") {
    const headers = Object.entries(transport.headers).filter(([name]) => !isHarmless(name));
    return [...findAddressSecrets(transport.url), ...headers.map(([, value]) => value)];
  }
  const named = Object.entries(transport.env).flatMap(([name, value]) => (isSecretName(name) ? [value] : []));
  return [...named, ...findArgumentSecrets(transport.args)];
}

function isHarmless(header: string): boolean {
  return /^(?:accept.*|content-type|user-agent|origin|referer|cache-control)$/i.test(header);
}
