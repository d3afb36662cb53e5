import { isIP } from "node:net";
import * as z from "zod";
import { createLazy } from "../../kit/create-lazy.ts";
import type { Text } from "../../kit/locale.ts";
import { direct, inherited, parseProxy } from "../../kit/net/proxy-rules.ts";
import { isSecureAddress } from "../../kit/net/secure-address.ts";
import { databaseForm, isDatabaseAddress } from "./database-address.ts";
import { withAllowed } from "./with-allowed.ts";

export const httpAddress: Text = { zh: "http 或 https 地址", en: "an http or https address" };

export const address = createLazy(() => z.string().refine(isHttpAddress, withAllowed(httpAddress)));

export function isHttpAddress(text: string): boolean {
  return /^https?:\/\/\S+$/i.test(text) && URL.canParse(text);
}

/** Says what a proxy setting may be. */
export const proxyAddress: Text = {
  zh: "http 或 https 代理的地址，如 http://proxy.example.com:3128，或 direct",
  en: "the address of an http or https proxy, such as http://proxy.example.com:3128, or direct",
};

const isProxySetting = (written: string) => written === direct || parseProxy(written) !== undefined;

export const proxy = createLazy(() => z.string().refine(isProxySetting, withAllowed(proxyAddress)));

export const webProxy = createLazy(() =>
  z
    .string()
    .refine(
      (written) => written === inherited || isProxySetting(written),
      withAllowed({ zh: `${proxyAddress.zh}，或 inherit`, en: `${proxyAddress.en}, or inherit` }),
    ),
);

const reachableForms: Text = {
  zh: "主机、地址或网段，可带端口，例如 localhost:8080、10.0.0.0/8",
  en: "a host, an address or a range, with a port or without, such as localhost:8080, 10.0.0.0/8",
};

/** Accepts a host, a host pattern (`*.suffix`, `*`), an address or an address range, each with `:port`, `:*` or neither. */
function isReachable(entry: string): boolean {
  const [, what = "", port = "*"] = /^(\[.*\]|.*\/\d{1,3}|[^:]*|.*:.*:.*?)(?::(\d{1,5}|\*))?$/.exec(entry) ?? [];
  if (port !== "*" && Number(port) > 65_535) return false;
  const [base = "", bits] = what.replace(/^\[([0-9a-f:.]+)\]$/i, "$1").split("/");
  const family = isIP(base);
  if (family === 0) return bits === undefined && /^(\*|(\*\.)?[\w-]+(\.[\w-]+)*\.?)$/.test(base);
  return !base.includes("%") && Number(bits ?? 0) <= (family === 4 ? 32 : 128);
}

export const reachable = createLazy(() => z.string().refine(isReachable, withAllowed(reachableForms)));

export const hostPattern = createLazy(() =>
  z.string().refine(
    (pattern) => /^[^\s/@]+$/.test(pattern),
    withAllowed({
      zh: "主机名或其模式，不带 https:// 和路径",
      en: "a host or a pattern of hosts, without https:// and path",
    }),
  ),
);

export const mailServer = createLazy(() =>
  z
    .string()
    .refine(
      (host) => /^([^\s/@:]+|[0-9a-f:.]+)$/i.test(host),
      withAllowed({ zh: "主机名或地址，不带端口", en: "a host or an address, without a port" }),
    ),
);

export const sender = createLazy(() =>
  z.string().refine(
    (from) =>
      /^(("[^"\\\p{Cc}]*"|[^"<>,;:@\p{Cc}]*)\s*<[^\s<>,;:@]+@[^\s<>,;:@]+>|[^\s<>,;:@]+@[^\s<>,;:@]+)$/u.test(from),
    withAllowed({
      zh: "name@example.com 或 Name <name@example.com>",
      en: "name@example.com or Name <name@example.com>",
    }),
  ),
);

// Where keys come from decides who gets in, so nobody may stand between; what names an issuer has no query (RFC 8414, section 2).
export const secureAddress = createLazy(() =>
  z.string().refine(
    (written) => isHttpAddress(written) && isSecureAddress(new URL(written)) && !/[?#]/.test(written),
    withAllowed({
      zh: "https 地址，或本机的 http 地址，不含 ? 和 #",
      en: "an https address, or an http one of this machine, without ? and #",
    }),
  ),
);

export const keysAddress = createLazy(() =>
  z
    .string()
    .refine(
      (written) => isHttpAddress(written) && isSecureAddress(new URL(written)),
      withAllowed({ zh: "https 地址，或本机的 http 地址", en: "an https address, or an http one of this machine" }),
    ),
);

// Both are compared as text with what a request says: what could never be the same would only seem to allow somebody.
export const hostHeader = createLazy(() =>
  z.string().refine(
    (written) => /^(\[[\da-f:.]+\]|[\w-]+(\.[\w-]+)*)(:\d{1,5})?$/i.test(written),
    withAllowed({
      zh: "主机名，可带端口，如 duet.example.com:8443",
      en: "a host with or without a port: duet.example.com:8443",
    }),
  ),
);

export const origin = createLazy(() =>
  z.string().refine(
    (written) => /^[a-z][a-z\d+.-]*:\/\/[^\s/?#@*]+$/i.test(written),
    withAllowed({
      zh: "来源，如 https://app.example.com，其后没有路径",
      en: "an origin without a path: https://app.example.com",
    }),
  ),
);

const databaseAddress: Text = {
  zh: `${databaseForm.zh}；只写一个主机；密码中的 / # ? @ 等字符写成百分号编码，如 %23`,
  en: `${databaseForm.en}, with one host; in a password, / # ? @ and the like are percent-encoded, as %23`,
};

export const database = createLazy(() => z.string().refine(isDatabaseAddress, withAllowed(databaseAddress)));
