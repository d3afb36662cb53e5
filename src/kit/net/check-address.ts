import { lookup as systemLookup } from "node:dns/promises";
import { isIP } from "node:net";
import { createWaitLimit, waitAbortable } from "../async/timeout.ts";
import type { DuetError } from "../errors.ts";
import { type AddressKind, classifyAddress } from "./address-kind.ts";
import type { DialTarget } from "./dial-target.ts";
import { describeConnectionFailure, failedRequestError, unknownHost } from "./request-errors.ts";

/** Returns all addresses of a host, as literals, in the order in which they are tried. Rejects when there is none. */
export type Lookup = (host: string) => Promise<readonly string[]>;

/** Decides which addresses may be connected to. */
export interface Reach {
  /** `address` is a literal without a zone. */
  permits(host: string, address: string, port: number): boolean;
  /** Decides about a name that nothing but the proxy knows the addresses of. It is refused when this is absent. */
  permitsUnknown?(host: string, port: number): boolean;
  /** Returns the error for a target without any permitted address. `address` is the first of them. */
  refusal(target: DialTarget, address: string, kind: AddressKind): DuetError;
}

export interface AddressRules extends Reach {
  lookup: Lookup;
}

/**
 * Returns the addresses of a target that may be connected to, of which there is at least one. Each address is checked on its
 * own, refused ones are left out, and nothing is looked up a second time. Throws the refusal of the target when none is left.
 */
export async function checkAddress(target: DialTarget, rules: AddressRules, signal: AbortSignal): Promise<string[]> {
  const { host, port } = target;
  const addresses = await lookUpAddresses(target, rules.lookup, signal);
  const allowed = addresses.filter(
    (address) => isIP(address) !== 0 && !address.includes("%") && rules.permits(host, address, port),
  );
  if (allowed.length > 0) return allowed;
  const [first = host] = addresses;
  throw rules.refusal(target, first, classifyAddress(first));
}

/** Limits the lookup of a name that the proxy looks up itself, in milliseconds. */
const longestLookupMs = 2000;

/**
 * Checks a target that a proxy connects to, as far as that can be known here: an address as always, and a name by all addresses that
 * this machine finds for it, since the proxy may take any of them. A name that this machine does not know is judged as a name.
 */
export async function checkProxied(target: DialTarget, rules: AddressRules, signal: AbortSignal): Promise<void> {
  const { host, port } = target;
  const isLiteral = isIP(host) !== 0;
  const found =
    isLiteral || isOwnName(host)
      ? await lookUpAddresses(target, rules.lookup, signal)
      : await tryLookup(host, rules, signal);
  signal.throwIfAborted();
  // Where the names of the network are a proxy's own, its addresses say nothing.
  const known = found.filter((address) => isLiteral || classifyAddress(address) !== "proxy");
  const refused = known.find((address) => address.includes("%") || !rules.permits(host, address, port));
  if (refused !== undefined) throw rules.refusal(target, refused, classifyAddress(refused));
  if (known.length > 0 || rules.permitsUnknown?.(host, port)) return;
  throw rules.refusal(target, host, isPublicName(host) ? "public" : "private");
}

/** Gives no addresses where the lookup fails or takes long. */
async function tryLookup(host: string, { lookup }: AddressRules, signal: AbortSignal): Promise<readonly string[]> {
  const limit = createWaitLimit(longestLookupMs, signal);
  try {
    return await waitAbortable(lookup(host), limit.signal);
  } catch {
    return [];
  } finally {
    limit.clear();
  }
}

/** Returns false for names that mean something on a private network only, such as `printer`, `nas.local` and `metadata.google.internal`. */
export function isPublicName(host: string): boolean {
  return host.includes(".") && !/\.(?:local|localdomain|internal|intranet|lan|corp|home|home\.arpa)$/.test(host);
}

function isOwnName(host: string): boolean {
  return host === "localhost" || host.endsWith(".localhost");
}

async function lookUpAddresses(target: DialTarget, lookup: Lookup, signal: AbortSignal): Promise<readonly string[]> {
  const { host } = target;
  if (isIP(host) !== 0) return [host];
  // By RFC 6761 these names are this machine everywhere, whatever a server of names says.
  if (isOwnName(host)) return ["127.0.0.1", "::1"];
  const addresses = await waitAbortable(lookup(host), signal).catch((thrown: unknown) => {
    signal.throwIfAborted();
    throw failedRequestError("network", target.shown, describeConnectionFailure(thrown));
  });
  if (addresses.length > 0) return addresses;
  throw failedRequestError("network", target.shown, unknownHost);
}

export const lookUp: Lookup = async (host) =>
  (await systemLookup(host, { all: true, order: "verbatim" })).map(({ address }) => address);
