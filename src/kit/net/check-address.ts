import { lookup as systemLookup } from "node:dns/promises";
import { isIP } from "node:net";
import { waitAbortable } from "../async/timeout.ts";
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

async function lookUpAddresses(target: DialTarget, lookup: Lookup, signal: AbortSignal): Promise<readonly string[]> {
  const { host } = target;
  if (isIP(host) !== 0) return [host];
  // By RFC 6761 these names are this machine everywhere, whatever a server of names says.
  if (host === "localhost" || host.endsWith(".localhost")) return ["127.0.0.1", "::1"];
  const addresses = await waitAbortable(lookup(host), signal).catch((thrown: unknown) => {
    signal.throwIfAborted();
    throw failedRequestError("network", target.shown, describeConnectionFailure(thrown));
  });
  if (addresses.length > 0) return addresses;
  throw failedRequestError("network", target.shown, unknownHost);
}

export const lookUp: Lookup = async (host) =>
  (await systemLookup(host, { all: true, order: "verbatim" })).map(({ address }) => address);
