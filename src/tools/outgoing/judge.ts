import { lookup as systemLookup } from "node:dns/promises";
import { isIP } from "node:net";
import type { DuetError } from "../../core/errors.ts";
import { abortable } from "../../core/waiting.ts";
import { type AddressKind, addressKinds, kindOfAddress } from "./addresses.ts";
import type { ReachList } from "./reach-list.ts";
import type { Target } from "./read-address.ts";
import { reasonOf } from "./reasons.ts";
import { failed, refused } from "./refusals.ts";

/** All addresses of a host, as literals, in the order in which they are to be tried. Rejects where there is none. */
export type Lookup = (host: string) => Promise<readonly string[]>;

export interface Rules {
  reach: ReachList;
  /** Of public hosts. */
  ports: ReadonlySet<number>;
  lookup: Lookup;
}

/**
 * The addresses of a target that may be dialled; there is at least one. Each address is judged by itself, those that are refused
 * are left out, and nothing is looked up a second time. Throws what refuses the target when none is left.
 */
export async function judge(target: Target, rules: Rules, signal: AbortSignal): Promise<string[]> {
  const { host, port } = target;
  const addresses = await addressesOf(target, rules.lookup, signal);
  const allowed = addresses.filter((address) => {
    if (isIP(address) === 0 || address.includes("%")) return false;
    if (rules.reach.permits(host, address, port)) return true;
    return kindOfAddress(address) === "public" && rules.ports.has(port);
  });
  if (allowed.length > 0) return allowed;
  const [first = host] = addresses;
  throw refusedAddress(target, first, kindOfAddress(first));
}

async function addressesOf(target: Target, lookup: Lookup, signal: AbortSignal): Promise<readonly string[]> {
  const { host } = target;
  if (isIP(host) !== 0) return [host];
  // By RFC 6761 these names are this machine everywhere, whatever a server of names says.
  if (host === "localhost" || host.endsWith(".localhost")) return ["127.0.0.1", "::1"];
  const addresses = await abortable(lookup(host), signal).catch((thrown: unknown) => {
    signal.throwIfAborted();
    throw failed("network", target.shown, reasonOf(thrown));
  });
  if (addresses.length > 0) return addresses;
  throw failed("network", target.shown, { zh: "找不到该主机", en: "there is no such host" });
}

export const lookUp: Lookup = async (host) =>
  (await systemLookup(host, { all: true, order: "verbatim" })).map(({ address }) => address);

/** A target none of whose addresses may be dialled; says which setting would allow the first one. */
function refusedAddress({ host, port, shown }: Target, address: string, kind: AddressKind): DuetError {
  if (kind === "public") {
    return refused(shown, {
      zh: `端口 ${port} 不在 web.ports 中；如需访问，把端口加入 web.ports，或把 "${shown}" 加入 web.reach`,
      en: `port ${port} is not among web.ports; add it there, or "${shown}" to web.reach, to allow this`,
    });
  }
  const { zh, en } = addressKinds[kind];
  const entry = kind === "proxy" ? "198.18.0.0/15" : shown;
  const isLiteral = host === address;
  return refused(shown, {
    zh: `${isLiteral ? "这" : `它解析到 ${address}，`}是${zh}；如需访问，把 "${entry}" 加入 web.reach`,
    en: `it ${isLiteral ? "is" : `resolves to ${address},`} ${en}; add "${entry}" to web.reach to allow this`,
  });
}
