import { BlockList, isIP } from "node:net";
import { DuetError } from "../../kit/errors.ts";

/** Holds the parsed `web.reach` of the configuration. */
export interface ReachList {
  /**
   * Returns true when this host, dialled at this address and port, may be reached although it is private. An entry that names a
   * host permits whatever the host resolves to; one that names an address or a range permits it whatever the host is called.
   */
  permits(host: string, address: string, port: number): boolean;
}

type Fits = (host: string, address: string) => boolean;

/**
 * Entries are `host`, `*.suffix`, `*`, an address, `[v6]` or a range in CIDR form, each with `:port`, `:*` or neither, which
 * mean any port. Throws a `DuetError` that names what is none of these.
 */
export function readReachList(entries: readonly string[]): ReachList {
  const rules = entries.map(readEntry);
  return {
    permits: (host, address, port) =>
      rules.some((rule) => (rule.port === undefined || rule.port === port) && rule.fits(host, address)),
  };
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
