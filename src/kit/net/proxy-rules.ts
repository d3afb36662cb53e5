import { BlockList, isIP } from "node:net";
import type { Text } from "../locale.ts";

/** Says how connections leave this machine. It is absent where they are direct and no further certificates are named. */
export interface ProxyRules {
  /** Holds the proxy for http addresses, as a URL with its credentials. */
  http?: string | undefined;
  /** Holds the proxy for https addresses. */
  https?: string | undefined;
  /** Lists the hosts that are called directly, as in `NO_PROXY`. */
  noProxy: readonly string[];
  /** Holds further trusted certificates, as PEM. */
  ca?: string | undefined;
  /** Says why the further certificates that Node should have read at its start are not trusted. */
  unreadCa?: UnreadCertificates | undefined;
}

/** Names a file of certificates, and says behind its name what is wrong with it. */
export interface UnreadCertificates {
  file: string;
  problem: Text;
}

/** Says how one address is reached. */
export interface Route {
  proxy?: string | undefined;
  ca?: string | undefined;
}

/** Stands for a proxy setting that allows direct connections only. */
export const direct = "direct";

/** Stands for the proxy setting of tools that go to the web as all other connections do. */
export const inherited = "inherit";

/** Returns the route to an address, and undefined where nothing but a usual direct connection is needed. */
export function findRoute(rules: ProxyRules | undefined, address: string | URL): Route | undefined {
  if (rules === undefined) return undefined;
  const url = new URL(address);
  const proxy = isDirect(rules, url) ? undefined : url.protocol === "https:" ? rules.https : rules.http;
  return proxy === undefined && rules.ca === undefined ? undefined : { proxy, ca: rules.ca };
}

/** Applies the proxy setting of one provider, server or tool, which takes precedence over the general rules. */
export function withOwnProxy(rules: ProxyRules | undefined, own: string | undefined): ProxyRules | undefined {
  if (own === undefined) return rules;
  const { ca, unreadCa } = rules ?? {};
  if (own !== direct) return { http: own, https: own, noProxy: [], ca, unreadCa };
  return ca === undefined && unreadCa === undefined ? undefined : { noProxy: [], ca, unreadCa };
}

/**
 * Reads the address of a proxy; `host:port` stands for `http://host:port`, as in other programs. Returns it as a URL, and undefined
 * for any other text.
 */
export function parseProxy(written: string): string | undefined {
  const text = written.trim();
  const url = URL.parse(/^[a-z][a-z\d+.-]*:\/\//i.test(text) ? text : `http://${text}`);
  if (url === null || !/^https?:$/.test(url.protocol) || /\s/.test(text)) return undefined;
  return url.hostname !== "" && /^\/?$/.test(url.pathname) && url.search === "" && url.hash === "" && canDecode(url)
    ? url.href
    : undefined;
}

function canDecode({ username, password }: URL): boolean {
  try {
    return decodeURIComponent(username + password) !== undefined;
  } catch {
    return false;
  }
}

/** Returns the address of a proxy without its credentials. */
export function toShownProxy(proxy: string): string {
  return new URL(proxy).origin;
}

/** Returns user name and password as they are sent to a proxy (RFC 7617), and undefined where its address has none. */
export function findProxyCredentials(proxy: string): string | undefined {
  const { username, password } = new URL(proxy);
  if (username === "" && password === "") return undefined;
  return Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString("base64");
}

/** Returns what must not be shown of a proxy: user name and password, as written, decoded, and as they are sent. */
export function findProxySecrets(proxy: string): string[] {
  const sent = findProxyCredentials(proxy);
  if (sent === undefined) return [];
  const { username, password } = new URL(proxy);
  const [user, word] = [decodeURIComponent(username), decodeURIComponent(password)];
  return [...new Set([sent, `${username}:${password}`, password, word, username, user])].filter((part) => part !== "");
}

/** Matches this machine by its own names and addresses, in the form in which a `URL` has them. */
const ownMachine =
  /^(?:127(?:\.\d+){3}|0\.0\.0\.0|\[::1?\]|\[::ffff:(?:7f[\da-f]{2}:[\da-f]{1,4}|0:0)\]|(?:.+\.)?localhost)\.?$/;

function isDirect({ noProxy }: ProxyRules, url: URL): boolean {
  if (ownMachine.test(url.hostname)) return true;
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1").replace(/\.$/, "");
  const port = url.port || (url.protocol === "https:" ? "443" : "80");
  return noProxy.some((entry) => isEntryFor(entry, host, port));
}

/**
 * Returns true when an entry of `NO_PROXY` means the host. Entries are `*`, a host together with its subdomains (a dot before it
 * changes nothing), `*.host` for subdomains alone, an address or a range of addresses, each with `:port` or without. Names are not
 * looked up for it.
 */
function isEntryFor(entry: string, host: string, port: string): boolean {
  const [, what = "", wantedPort = port] = /^(\[.*\]|[^:]*|.*:.*:.*?)(?::(\d+))?$/.exec(entry.toLowerCase()) ?? [];
  if (wantedPort !== port) return false;
  const wanted = what.replace(/^\[(.*)\]$/, "$1").replace(/\.$/, "");
  if (wanted === "*") return true;
  const [base = "", bits] = wanted.split("/");
  if (isIP(base) !== 0) return isIP(host) !== 0 && isWithin(host, base, bits);
  if (wanted.startsWith("*.")) return host.endsWith(wanted.slice(1));
  const name = wanted.replace(/^\./, "");
  return name !== "" && (host === name || host.endsWith(`.${name}`));
}

function isWithin(host: string, base: string, bits: string | undefined): boolean {
  const widest = isIP(base) === 4 ? 32 : 128;
  const prefix = Number(bits ?? widest);
  if (!Number.isInteger(prefix) || prefix < 0 || prefix > widest || base.includes("%")) return false;
  const range = new BlockList();
  range.addSubnet(base, prefix, getFamily(base));
  return range.check(host, getFamily(host));
}

function getFamily(address: string): "ipv4" | "ipv6" {
  return isIP(address) === 4 ? "ipv4" : "ipv6";
}
