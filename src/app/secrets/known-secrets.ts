import { listServerSecrets, secretWord } from "../../client/redact.ts";
import type { Config } from "../../config/config.ts";
import { listCalledModels } from "../../config/models/called-models.ts";
import { listProxySecrets } from "../../config/network.ts";
import { findAddressSecrets, isSecretName, shortestSecret } from "../../config/secrets/mask.ts";
import { listCloudSecrets, listRequestSecrets } from "../../config/secrets/secrets.ts";
import type { Secret } from "../../kit/text/redact.ts";
import { searchBackendNames } from "../../tools/search/search-backends.ts";

/**
 * Lists the secrets that nothing which a model or a tool writes may repeat. What is called a key but reads like a word is left
 * out: it would be missing from answers.
 */
export function listKnownSecrets(config: Config): Secret[] {
  const { search, servers, agents, providers, environment, httpToken, signInSecret, email, store } = config;
  const called = listCalledModels(config);
  const backends = searchBackendNames.flatMap((name) => search[name] ?? []);
  const programs = agents.flatMap(({ acp }) => acp ?? []);
  const served = [...servers, ...programs].flatMap((server) => listServerSecrets(server, environment));
  const own = [
    ...called.map(({ apiKeyEnv, apiKey }) => ({ name: apiKeyEnv ?? "API_KEY", value: apiKey })),
    ...called.flatMap(listCloudSecrets).map((value) => ({ name: "API_KEY", value })),
    ...backends.map(({ apiKey }) => ({ name: "API_KEY", value: apiKey })),
    ...listProxySecrets(config.network).map((value) => ({ name: "PROXY", value })),
    { name: "DUET_HTTP_TOKEN", value: httpToken },
    { name: "DUET_SIGN_IN_SECRET", value: signInSecret },
    { name: "SMTP_PASSWORD", value: email?.password },
    ...findAddressSecrets(store.url ?? "").map((value) => ({ name: "STORE_URL", value })),
    ...served.filter(({ name }) => /^(?:proxy-)?authorization$/i.test(name)),
  ];
  const addresses = [
    ...called.map(({ baseUrl }) => baseUrl),
    ...Object.values(providers).map(({ baseUrl }) => baseUrl),
    ...backends.flatMap(({ baseUrl, url, mcpUrl }) => [baseUrl, url, mcpUrl]),
  ];
  const named = [
    ...Object.entries(environment).flatMap(([name, value]) => (isSecretName(name) ? [{ name, value }] : [])),
    ...served.filter(({ name }) => isTelling(name)),
    ...Object.values(providers)
      .flatMap(listRequestSecrets)
      .map((value) => ({ name: "HEADER", value })),
    ...addresses.flatMap((address) => findAddressSecrets(address ?? "")).map((value) => ({ name: "URL", value })),
  ];
  return [...own.filter(isLong), ...named.filter(isLong).filter(({ value }) => isRandom(value))];
}

function isTelling(name: string): boolean {
  return name === "URL" || secretWord.test(name);
}

function isLong(secret: { name: string; value: string | undefined }): secret is Secret {
  return (secret.value?.length ?? 0) >= shortestSecret;
}

/** Returns true for a text that nobody writes by chance: with letters and digits, or a long one without a blank. */
function isRandom(value: string): boolean {
  return !/\s/.test(value) && ((/\d/.test(value) && /[a-z]/i.test(value)) || value.length >= 24);
}
