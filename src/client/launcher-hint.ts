import { basename } from "node:path";
import type { ServerTransport } from "../config/config.ts";
import type { Text } from "../kit/locale.ts";
import type { Environment } from "../kit/process/child-environment.ts";

/** Lists programs that fetch a server before they start it. */
const launchers = new Set(["npx", "bunx", "pnpx", "uvx", "uv", "pipx", "docker", "podman"]);

/**
 * Lists the variables that programs need where a company's certificate, proxy or mirror stands between them and the network. They
 * may hold passwords, so a server gets them only by `inheritEnv`.
 */
const networkVariables = [
  ...["HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY", "NO_PROXY", "https_proxy", "http_proxy", "all_proxy", "no_proxy"],
  ...["SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"],
  ...["npm_config_registry", "NPM_CONFIG_REGISTRY", "UV_DEFAULT_INDEX", "UV_INDEX_URL", "PIP_INDEX_URL"],
  ...["DOCKER_HOST", "DOCKER_CONFIG"],
];

const networkFailure =
  /network|certificate|\bSSL|\bTLS|proxy|registry|getaddrinfo|resolve host|dns error|ENOTFOUND|ECONN|ETIMEDOUT|EAI_AGAIN|sending request|failed to fetch|timed? ?out/i;

export interface LauncherFailure {
  transport: ServerTransport;
  /** Holds the end of what the process wrote. */
  words: string;
  /** Holds Duet's environment. */
  environment: Environment;
}

/**
 * Names the variables of ours that a launcher lacked when it failed at the network. Returns undefined where that is not what
 * happened, or where it lacked none.
 */
export function describeMissingVariables({ transport, words, environment }: LauncherFailure): Text | undefined {
  if (transport.type !== "stdio" || !networkFailure.test(words)) return undefined;
  const launcher = basename(transport.command).replace(/\.(cmd|exe)$/i, "");
  if (!launchers.has(launcher)) return undefined;
  const given = new Set([...Object.keys(transport.env), ...transport.inheritEnv]);
  const missing = networkVariables.filter((name) => (environment[name] ?? "") !== "" && !given.has(name));
  if (missing.length === 0) return undefined;
  const list = missing.join(", ");
  const setting = `"inheritEnv": ${JSON.stringify(missing)}`;
  return {
    zh: `${launcher} 在访问网络时失败，而它没有得到本环境中的 ${list}。如需传给它，在该服务器的配置中加入 ${setting}。`,
    en: `${launcher} failed at the network, and was not given ${list} of this environment. To pass that on, add ${setting} to the server's configuration.`,
  };
}
