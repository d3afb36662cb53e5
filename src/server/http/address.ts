import { BlockList, isIP, isIPv4, isIPv6 } from "node:net";
import { DuetError } from "../../kit/errors.ts";
import type { Text } from "../../kit/locale.ts";

export interface ListenAddress {
  /** Is a name or an address; an IPv6 address has no brackets. */
  host: string;
  /** Is 0 for any free port. */
  port: number;
}

const defaultHost = "127.0.0.1";

/** Reads `[HOST:]PORT`: `8080`, `0.0.0.0:8080`, `[::1]:8080`, `localhost:8080`. Throws a `config` error for anything else. */
export function parseListenAddress(text: string): ListenAddress {
  const parts = /^(?:(\[[^[\]]*\]|[^:[\]]*):)?(\d{1,5})$/.exec(text.trim());
  if (parts === null) throw addressError(text);
  const [, named, digits] = parts;
  const port = Number(digits);
  if (port > 65_535) throw addressError(text);
  if (named === undefined) return { host: defaultHost, port };
  const isBracketed = named.startsWith("[");
  const host = isBracketed ? named.slice(1, -1) : named.toLowerCase();
  if (isBracketed ? !isIPv6(host) : !isHostName(host)) throw addressError(text);
  // Which of its addresses the system prefers would decide who reaches us.
  return { host: host === "localhost" ? defaultHost : host, port };
}

export function isLoopback(host: string): boolean {
  const family = isIP(host);
  if (family === 0) return host === "localhost";
  const loopback = new BlockList();
  loopback.addSubnet("127.0.0.0", 8);
  loopback.addAddress("::1", "ipv6");
  return loopback.check(host, family === 6 ? "ipv6" : "ipv4");
}

/** Returns the host as it is written in a URL: `[::1]`, `127.0.0.1`. */
export function toUrlHost(host: string): string {
  return host.includes(":") ? `[${host}]` : host;
}

/** Returns true when URL parsers would read the name as a number that stands for an address: `127.1`, `0x7f.1`, `2130706433`. */
export function isNumber(name: string): boolean {
  return /(^|\.)(\d+|0x[0-9a-f]*)$/.test(name);
}

function isHostName(host: string): boolean {
  if (isIPv4(host)) return true;
  if (isNumber(host)) return false;
  return host.length <= 253 && /^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/.test(host);
}

function addressError(text: string): DuetError {
  return new DuetError({
    code: "config",
    text: { zh: `--http: ${JSON.stringify(text)} ${allowed.zh}`, en: `--http: ${JSON.stringify(text)} ${allowed.en}` },
  });
}

const allowed: Text = {
  zh: "不是地址（允许：端口，或 主机:端口，端口为 0 到 65535，如 8080、127.0.0.1:8080、[::1]:8080）",
  en: "is not an address (allowed: PORT or HOST:PORT, a port being 0 to 65535: 8080, 127.0.0.1:8080, [::1]:8080)",
};
