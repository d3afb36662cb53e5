import { BlockList, isIP } from "node:net";
import { DuetError } from "../../kit/errors.ts";
import { addressKinds, classifyAddress } from "../../kit/net/address-kind.ts";
import { isPublicName, type Lookup, type Reach } from "../../kit/net/check-address.ts";
import type { GuardedFetch } from "../../kit/net/guarded-fetch.ts";
import type { ProxyRules } from "../../kit/net/proxy-rules.ts";
import { refusedError } from "../../kit/net/request-errors.ts";

/** Limits what the network tools may reach, as in the configuration's `web`. */
export interface ToolFetchRules {
  /**
   * Lists hosts, ranges and ports that may be reached although they are private: `localhost:8080`, `10.0.0.0/8`,
   * `db.example.com:5432`.
   */
  reach: readonly string[];
  /** Lists the allowed ports of public hosts. */
  ports: readonly number[];
  /** Says how the web is reached; connections are direct when absent. */
  network?: ProxyRules | undefined;
}

/** Holds what tests replace: the name lookup and the trusted certificates. */
export interface ToolFetchParts {
  lookup?: Lookup;
  /** Holds the certificates to trust instead of the usual ones, as PEM. */
  ca?: string;
  /** Limits the silence within a body, in milliseconds. */
  idleMs?: number;
}

/**
 * Creates the fetch function that applies these rules. It ignores the proxies of the environment (`HTTP_PROXY`) unless `web.proxy`
 * says otherwise, so that the address that is dialled is the one that was checked. A proxy dials for us: there, a name is checked
 * by what this machine knows of it. Throws a `DuetError` for an invalid entry of `reach`.
 */
export function createToolFetch({ reach, ports, network }: ToolFetchRules, parts: ToolFetchParts = {}): GuardedFetch {
  const rules = createWebRules(readReachList(reach), new Set(ports));
  const loadFetch = () =>
    import("../../kit/net/create-guarded-fetch.ts").then(({ createGuardedFetch }) =>
      createGuardedFetch({ reach: rules, network, ...parts }),
    );
  return {
    request: async (request) => (await loadFetch()).request(request),
    connect: async (host, port, options) => (await loadFetch()).connect(host, port, options),
  };
}

/** Allows what the configuration's `web` lets tools dial: what `reach` names, and public hosts at `ports`. */
export function createWebRules(reach: ReachList, ports: ReadonlySet<number>): Reach {
  return {
    permits: (host, address, port) =>
      reach.permits(host, address, port) || (classifyAddress(address) === "public" && ports.has(port)),
    permitsUnknown: (host, port) => reach.permitsName(host, port) || (isPublicName(host) && ports.has(port)),
    refusal: createRefusal,
  };
}

/** Says which setting would allow the first address. */
const createRefusal: Reach["refusal"] = ({ host, port, shown }, address, kind) => {
  if (kind === "public") {
    return refusedError(shown, {
      zh: `端口 ${port} 不在 web.ports 中；如需访问，把端口加入 web.ports，或把 "${shown}" 加入 web.reach`,
      en: `port ${port} is not among web.ports; add it there, or "${shown}" to web.reach, to allow this`,
    });
  }
  const { zh, en } = addressKinds[kind];
  const entry = kind === "proxy" ? "198.18.0.0/15" : shown;
  const isLiteral = host === address;
  return refusedError(shown, {
    zh: `${isLiteral ? "这" : `它解析到 ${address}，`}是${zh}；如需访问，把 "${entry}" 加入 web.reach`,
    en: `it ${isLiteral ? "is" : `resolves to ${address},`} ${en}; add "${entry}" to web.reach to allow this`,
  });
};

/** Holds the parsed `web.reach` of the configuration. */
interface ReachList {
  /**
   * Returns true when this host, dialled at this address and port, may be reached although it is private. An entry that names a
   * host permits whatever the host resolves to; one that names an address or a range permits it whatever the host is called.
   */
  permits(host: string, address: string, port: number): boolean;
  /** Returns true when an entry names this host. */
  permitsName(host: string, port: number): boolean;
}

type Fits = (host: string, address: string) => boolean;

/**
 * Entries are `host`, `*.suffix`, `*`, an address, `[v6]` or a range in CIDR form, each with `:port`, `:*` or neither, which
 * mean any port. Throws a `DuetError` that names what is none of these.
 */
export function readReachList(entries: readonly string[]): ReachList {
  const rules = entries.map(readEntry);
  const isPermitted = (host: string, address: string, port: number): boolean =>
    rules.some((rule) => (rule.port === undefined || rule.port === port) && rule.fits(host, address));
  // No address of a host is this one.
  return { permits: isPermitted, permitsName: (host, port) => isPermitted(host, "0.0.0.0", port) };
}

function readEntry(written: string): { fits: Fits; port: number | undefined } {
  const [, what = "", port = "*"] = /^(\[.*\]|.*\/\d{1,3}|[^:]*|.*:.*:.*?)(?::(\d{1,5}|\*))?$/.exec(written) ?? [];
  const fits = readTarget(what.toLowerCase().replace(/^\[([0-9a-f:.]+)\]$/, "$1"));
  if (fits && (port === "*" || Number(port) <= 65_535)) return { fits, port: port === "*" ? undefined : Number(port) };
  throw new DuetError({
    code: "config",
    text: {
      zh: `web.reach 中的 ${JSON.stringify(written)} 不是主机、地址或网段（如 localhost:8080、*.corp.example、10.0.0.0/8、[::1]:80）`,
      en: `${JSON.stringify(written)} in web.reach is not a host, an address or a range (such as localhost:8080, *.corp.example, 10.0.0.0/8, [::1]:80)`,
    },
  });
}

function readTarget(target: string): Fits | undefined {
  if (target === "*") return () => true;
  if (target.startsWith("*.") && isName(target.slice(2))) return (host) => host.endsWith(target.slice(1));
  const [base = "", bits] = target.split("/");
  if (isIP(base) !== 0) return readRange(base, bits);
  if (bits !== undefined || !isName(target)) return undefined;
  const name = target.replace(/\.$/, "");
  return (host) => host === name;
}

function isName(text: string): boolean {
  return /^[a-z0-9_.-]+$/.test(text);
}

function readRange(base: string, bits: string | undefined): Fits | undefined {
  const widest = isIP(base) === 4 ? 32 : 128;
  const prefix = bits === undefined ? widest : Number(bits);
  if (prefix > widest || base.includes("%")) return undefined;
  const range = new BlockList();
  range.addSubnet(base, prefix, getFamily(base));
  return (_host, address) => range.check(address, getFamily(address));
}

function getFamily(address: string): "ipv4" | "ipv6" {
  return isIP(address) === 4 ? "ipv4" : "ipv6";
}
