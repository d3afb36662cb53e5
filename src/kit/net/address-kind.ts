import { isIP } from "node:net";
import ipaddr from "ipaddr.js";
import type { Text } from "../locale.ts";

/** Classifies an address. Only `public` is reached without a rule that names the address. */
export type AddressKind = "public" | "loopback" | "private" | "link-local" | "metadata" | "proxy" | "special";

export const addressKinds: Record<AddressKind, Text> = {
  public: { zh: "公网地址", en: "a public address" },
  loopback: { zh: "本机地址", en: "this machine" },
  private: { zh: "内网地址", en: "a private address" },
  "link-local": { zh: "链路本地地址", en: "a link-local address" },
  metadata: { zh: "云平台元数据地址", en: "a cloud metadata service" },
  proxy: {
    zh: "测试网段的地址，多半是代理软件的 fake-ip",
    en: "an address of the benchmark range, most likely a proxy's fake IP",
  },
  special: { zh: "特殊用途的地址", en: "a special-purpose address" },
};

/**
 * Returns the kind of a literal address, where a mapped IPv4 address counts as what it maps to. In addition to the classes of
 * `ipaddr.js`, IPv6 is public only within 2000::/3, which IANA allocates (so not `::/96`, NAT64, `fec0::/10`). An address that
 * contains an IPv4 address (6to4, Teredo), one with a zone id, and a text that is no literal are `special`.
 */
export function classifyAddress(literal: string): AddressKind {
  if (isIP(literal) === 0 || literal.includes("%")) return "special";
  const address = ipaddr.process(literal);
  if (metadata.has(address.toString())) return "metadata";
  const range = address.range();
  if (range === "loopback" || range === "unspecified") return "loopback";
  if (range === "private" || range === "carrierGradeNat" || range === "uniqueLocal") return "private";
  if (range === "linkLocal") return "link-local";
  if (range === "reserved" && isWithin(address, "198.18.0.0/15")) return "proxy";
  if (range !== "unicast") return "special";
  return address.kind() === "ipv4" || isGlobalIPv6(address) ? "public" : "special";
}

// AWS, Azure, Google and most others; Alibaba Cloud; Azure's host agent; AWS over IPv6; Oracle.
const metadata = new Set(["169.254.169.254", "100.100.100.200", "168.63.129.16", "fd00:ec2::254", "192.0.0.192"]);

type Address = ReturnType<typeof ipaddr.process>;

function isGlobalIPv6(address: Address): boolean {
  return isWithin(address, "2000::/3") && !isWithin(address, "3fff::/20");
}

function isWithin(address: Address, range: string): boolean {
  const [base, bits] = ipaddr.parseCIDR(range);
  return address.kind() === base.kind() && address.match(base, bits);
}
