import { X509Certificate } from "node:crypto";
import { readFile } from "node:fs/promises";
import type { Text } from "../kit/locale.ts";
import {
  direct,
  findProxySecrets,
  inherited,
  type ProxyRules,
  parseProxy,
  toShownProxy,
  type UnreadCertificates,
  withOwnProxy,
} from "../kit/net/proxy-rules.ts";
import { configError, notAllowedError } from "./config-errors.ts";
import type { Settings } from "./schema/file-schema.ts";
import { maskProxy } from "./secrets/mask.ts";
import type { Environment } from "./sources/expand-variables.ts";

/** Holds how connections leave this machine. */
export interface NetworkSettings {
  /** Is absent where connections are direct and no further certificates are to be trusted but those that Node has read. */
  rules?: ProxyRules | undefined;
  /** Lists the proxies of `rules`, with the variable or setting that names each. */
  proxies: NamedProxy[];
  /** Names the file of further certificates, which Node reads itself when `NODE_EXTRA_CA_CERTS` names it. */
  certificates?: string | undefined;
  /** Lists all configured proxies, with their credentials. */
  all: readonly string[];
}

export interface NamedProxy {
  scheme: "https" | "http";
  name: string;
  /** Holds the address without credentials. */
  shown: string;
}

export interface NetworkInputs {
  settings: Settings;
  environment: Environment;
  /** Resolves the path of `network.ca`. */
  resolvePath(path: string): string;
  /** Is true when Node has read the file of certificates at its start. */
  nodeTrusts: boolean;
}

/** Throws a `config` error for a proxy that is not an address, and for certificates that cannot be read. */
export async function readNetwork(inputs: NetworkInputs): Promise<NetworkSettings> {
  const { settings, environment } = inputs;
  const { proxy, noProxy, ca } = settings.network;
  const file = proxy === undefined || proxy === direct ? [] : [{ name: "network.proxy", value: toUrl(proxy) }];
  const named = {
    https: findProxy(environment, httpsVariables) ?? file[0],
    http: findProxy(environment, httpVariables) ?? file[0],
  };
  const certificates = ca === undefined ? undefined : inputs.resolvePath(ca);
  const trusted = certificates === undefined || inputs.nodeTrusts ? undefined : await readCertificates(certificates);
  const unreadCa = certificates !== undefined && inputs.nodeTrusts ? await findUnreadFile(certificates) : undefined;
  const rules: ProxyRules = {
    http: named.http?.value,
    https: named.https?.value,
    noProxy: [...readNoProxy(environment), ...noProxy],
    ca: trusted,
    unreadCa,
  };
  const isNeeded = [rules.http, rules.https, trusted, unreadCa].some((each) => each !== undefined);
  const all = [rules.http, rules.https, ...listOwnProxies(settings).map(({ proxy: own }) => own)].filter(
    (each) => each !== undefined,
  );
  return {
    ...(isNeeded && { rules }),
    proxies: (["https", "http"] as const).flatMap((scheme) => {
      const found = named[scheme];
      return found === undefined ? [] : [{ scheme, name: found.name, shown: toShownProxy(found.value) }];
    }),
    certificates,
    all: [...new Set(all)],
  };
}

/** Lists the variables that set a proxy, the first that is set first. */
const httpsVariables = ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY", "http_proxy", "HTTP_PROXY"];
const httpVariables = ["http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"];

function findProxy(environment: Environment, names: readonly string[]): { name: string; value: string } | undefined {
  const name = names.find((each) => environment[each]?.trim());
  if (name === undefined) return undefined;
  const written = environment[name] ?? "";
  const value = parseProxy(written);
  if (value === undefined) throw notAllowedError(name, JSON.stringify(maskProxy(written)), proxyVariable);
  return { name, value };
}

const proxyVariable: Text = {
  zh: "http 或 https 代理的地址，如 http://proxy.example.com:3128；不支持 SOCKS；密码中的特殊字符写作 %XX",
  en: "the address of an http or https proxy, such as http://proxy.example.com:3128; no SOCKS; special characters of a password as %XX",
};

function readNoProxy({ no_proxy, NO_PROXY }: Environment): string[] {
  return (no_proxy || NO_PROXY || "").split(/[,\s]+/).filter((entry) => entry !== "");
}

/** The schema has accepted the text. */
function toUrl(setting: string): string {
  return parseProxy(setting) ?? setting;
}

/** Applies the proxy setting of one provider, server or tool, as it is written in the file. */
export function toOwnRules({ rules }: Pick<NetworkSettings, "rules">, own: string | undefined): ProxyRules | undefined {
  return withOwnProxy(rules, own === undefined || own === direct ? own : toUrl(own));
}

/** Applies the proxy setting of the tools that go to the web. */
export function toWebRules(network: Pick<NetworkSettings, "rules">, own: string): ProxyRules | undefined {
  return toOwnRules(network, own === inherited ? undefined : own);
}

/** Returns the variables with which programs use the same proxies, and Node's own `fetch` does so too. */
export function toNetworkVariables(
  rules: ProxyRules | undefined,
  certificates: string | undefined,
): Record<string, string> {
  const trusted: Record<string, string> = certificates === undefined ? {} : { NODE_EXTRA_CA_CERTS: certificates };
  const { http, https } = rules ?? {};
  if (http === undefined && https === undefined) return trusted;
  const set = Object.entries({
    HTTPS_PROXY: https,
    HTTP_PROXY: http,
    NO_PROXY: [...new Set([...(rules?.noProxy ?? []), "localhost", "127.0.0.1", "::1"])].join(","),
  }).flatMap(([name, value]) =>
    value === undefined
      ? []
      : [
          [name, value],
          [name.toLowerCase(), value],
        ],
  );
  return { ...trusted, NODE_USE_ENV_PROXY: "1", ...Object.fromEntries(set) };
}

/** Lists the proxies that single providers, servers or tools have, with the setting that names each. */
export function listOwnProxies({
  providers,
  servers,
  mcpServers,
  search,
  web,
}: Settings): { name: string; proxy: string }[] {
  const groups = Object.entries({ providers, servers, mcpServers });
  const named = groups.flatMap(([group, entries]) =>
    Object.entries(entries).map(([name, entry]) => ({ name: `${group}.${name}.proxy`, proxy: entry.proxy })),
  );
  const written = [...named, { name: "search.proxy", proxy: search.proxy }, { name: "web.proxy", proxy: web.proxy }];
  return written.flatMap(({ name, proxy }) =>
    proxy === undefined || proxy === direct || proxy === inherited ? [] : [{ name, proxy: toUrl(proxy) }],
  );
}

/** Lists what no message may hold of the proxies. */
export function listProxySecrets({ all }: Pick<NetworkSettings, "all">): string[] {
  return all.flatMap(findProxySecrets);
}

async function readCertificates(file: string): Promise<string> {
  const read = await readPem(file);
  if ("problem" in read) throw configError(`network.ca: ${file}`, read.problem, read.cause);
  if (!read.certificates.every(isCertificate)) throw configError(`network.ca: ${file}`, noCertificates);
  return read.certificates.join("\n");
}

/** Finds out why Node has not read the file, of which it only warns. The single certificates are not parsed: a system has many. */
async function findUnreadFile(file: string): Promise<UnreadCertificates | undefined> {
  const read = await readPem(file);
  return "problem" in read ? { file, problem: read.problem } : undefined;
}

async function readPem(file: string): Promise<{ certificates: string[] } | { problem: Text; cause?: unknown }> {
  try {
    const text = await readFile(file, "utf8");
    const certificates = text.match(/-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g);
    return certificates === null ? { problem: noCertificates } : { certificates };
  } catch (thrown) {
    return { problem: describeUnreadable(thrown), cause: thrown };
  }
}

function describeUnreadable(thrown: unknown): Text {
  const why = thrown instanceof Error && "code" in thrown ? String(thrown.code) : String(thrown);
  if (why === "ENOENT") return { zh: "不存在", en: "does not exist" };
  return { zh: `无法读取（${why}）`, en: `cannot be read (${why})` };
}

const noCertificates: Text = {
  zh: "不是 PEM 格式的证书（允许：-----BEGIN CERTIFICATE-----）",
  en: "holds no certificates in PEM (allowed: -----BEGIN CERTIFICATE-----)",
};

function isCertificate(text: string): boolean {
  try {
    return new X509Certificate(text).subject !== undefined;
  } catch {
    return false;
  }
}
