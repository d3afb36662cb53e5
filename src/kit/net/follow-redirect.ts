import { isUtf8 } from "node:buffer";
import { parseAddress } from "./dial-target.ts";
import type { Answer, Hop } from "./http-exchange.ts";
import { refusedError } from "./request-errors.ts";

/** Whether an answer sends us elsewhere. */
export function isRedirect({ status, headers }: Pick<Answer, "status" | "headers">): boolean {
  return [301, 302, 303, 307, 308].includes(status) && headers.location !== undefined;
}

/**
 * The request that a redirect asks for, by the Fetch standard's rules (https://fetch.spec.whatwg.org/#http-redirect-fetch), and
 * stricter: never from https to http, a body or a changing method never to another origin, and no header of ours but the harmless.
 */
export function toNextHop(hop: Hop, { status, headers }: Pick<Answer, "status" | "headers">): Hop {
  const url = readLocation(headers.location ?? "", hop.url);
  if (hop.url.protocol === "https:" && url.protocol === "http:") {
    throw refusedError(url.origin, {
      zh: `${hop.url.origin} 要求从 https 跳转到 http，不安全`,
      en: `${hop.url.origin} redirects to it, from https to http, which is not safe`,
    });
  }
  const next = turnsToGet(hop, status)
    ? { url, method: "GET", headers: without(hop.headers, ofBodies), body: undefined }
    : { ...hop, url };
  if (url.origin === hop.url.origin) return next;
  if (next.body !== undefined || !["GET", "HEAD", "OPTIONS"].includes(next.method)) {
    throw refusedError(url.origin, {
      zh: `${hop.url.origin} 要求把 ${hop.method} 请求转给它，没有照做`,
      en: `${hop.url.origin} redirects a ${hop.method} request to it, which is not followed`,
    });
  }
  return { ...next, headers: only(next.headers, harmless) };
}

function turnsToGet({ method }: Hop, status: number): boolean {
  if (status === 303) return method !== "HEAD" && method !== "GET";
  return method === "POST" && (status === 301 || status === 302);
}

// What is not ASCII in a header arrives byte by byte; servers mean UTF-8.
function readLocation(location: string, base: URL): URL {
  const bytes = Buffer.from(location, "latin1");
  return parseAddress(isUtf8(bytes) ? bytes.toString("utf8") : location, base);
}

const harmless = ["accept", "accept-encoding", "accept-language", "user-agent"];
const ofBodies = ["content-type", "content-encoding", "content-language", "content-location"];

function only(headers: Record<string, string>, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => names.includes(name)));
}

function without(headers: Record<string, string>, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !names.includes(name)));
}
