import { isIP } from "node:net";
import { type AddressKind, addressKinds, classifyAddress } from "../../kit/net/address-kind.ts";
import { isPublicName, type Lookup, lookUp, type Reach } from "../../kit/net/check-address.ts";
import { toDialTarget } from "../../kit/net/dial-target.ts";
import type { ProxyRules } from "../../kit/net/proxy-rules.ts";
import { failedRequestError, refusedError } from "../../kit/net/request-errors.ts";
import type { Fetch } from "../transport/limited-fetch.ts";

/** Holds what tests replace: the name lookup and the trusted certificates. */
export interface OAuthWorld {
  lookup?: Lookup;
  /** Holds the certificates to trust instead of the usual ones, as PEM. */
  ca?: string;
  /** Says how the addresses of the sign-in are reached. */
  network?: ProxyRules | undefined;
}

const limits = { maxBytes: 1_000_000, timeoutMs: 15_000, maxRedirects: 0 };

/**
 * Creates the `fetch` of a sign-in. Servers choose the addresses, so none inside the user's network is contacted unless the
 * configured server is there itself; a redirect is returned, not followed. An authorization server's error is reduced to its
 * error code, because it may repeat what it was sent. Rejects as `fetch` does, with the `DuetError` as the cause.
 */
export function createOAuthFetch(server: URL, signal: AbortSignal, world: OAuthWorld = {}): Fetch {
  const { lookup = lookUp, ca, network } = world;
  let kinds: Promise<ReadonlySet<AddressKind>> | undefined;
  return async (url, init = {}) => {
    try {
      kinds ??= getAddressKinds(server, lookup);
      const reach = toReach(await kinds, server);
      const { createGuardedFetch } = await import("../../kit/net/create-guarded-fetch.ts");
      const { method = "GET", body } = init;
      const answer = await createGuardedFetch({ reach, lookup, ca, network }).request({
        ...limits,
        url: String(url),
        method,
        headers: Object.fromEntries(new Headers(init.headers)),
        ...(body !== undefined && body !== null && { body: String(body) }),
        permits: (hop) => checkScheme(hop, server),
        signal,
      });
      if (answer.truncated) throw failedRequestError("bad_response", new URL(url).host, tooLong);
      const text = method === "POST" && answer.status >= 400 ? keepErrorCode(answer.body) : new Uint8Array(answer.body);
      const { "content-encoding": _encoding, "content-length": _length, ...headers } = answer.headers;
      const isEmpty = [204, 205, 304].includes(answer.status);
      return new Response(isEmpty ? null : text, { status: answer.status, headers });
    } catch (thrown) {
      signal.throwIfAborted();
      throw new TypeError("fetch failed", { cause: thrown });
    }
  };
}

const tooLong = { zh: "响应过长", en: "the response is too long" };

/** Allows plain HTTP only when the configured server uses it, and only to that server, or between addresses on this machine. */
function checkScheme(url: URL, server: URL): void {
  if (url.protocol === "https:") return;
  const isOwn = url.origin === server.origin;
  if (server.protocol === "http:" && (isOwn || (isLoopbackName(server) && isLoopbackName(url)))) return;
  throw refusedError(url.host, { zh: "登录只能使用 https 网址", en: "signing in requires an https URL" });
}

function toReach(kinds: ReadonlySet<AddressKind>, server: URL): Reach {
  return {
    permits: (_host, address) => kinds.has(classifyAddress(address)),
    permitsUnknown: (host) => isPublicName(host) || host === toDialTarget(server).host,
    refusal({ shown }, _address, kind) {
      const { zh, en } = addressKinds[kind];
      return refusedError(shown, {
        zh: `登录地址指向${zh}，而该 MCP 服务器不在那里`,
        en: `the server sends its sign-in to ${en}, but is not there itself`,
      });
    },
  };
}

/**
 * Returns the kinds of addresses that a sign-in may use: public ones, and the server's own kind when it is in the user's
 * network. A server on this machine counts only when its URL says so, since a name can be made to resolve to anything.
 */
async function getAddressKinds(server: URL, lookup: Lookup): Promise<ReadonlySet<AddressKind>> {
  const { host } = toDialTarget(server);
  if (isLoopbackName(server)) return new Set(["public", "loopback"]);
  if (isIP(host) !== 0) return new Set<AddressKind>(["public", ...excludeMetadata(classifyAddress(host))]);
  const addresses = await lookup(host).catch(() => []);
  const own = new Set(addresses.map(classifyAddress));
  const named = (["private", "proxy"] as const).filter((kind) => own.has(kind) && !own.has("public"));
  return new Set<AddressKind>(["public", ...named]);
}

function excludeMetadata(kind: AddressKind): AddressKind[] {
  return kind === "metadata" ? [] : [kind];
}

function isLoopbackName(url: URL): boolean {
  const { host } = toDialTarget(url);
  return host === "localhost" || host.endsWith(".localhost") || classifyAddress(host) === "loopback";
}

function keepErrorCode(body: Buffer): string {
  const [, code = "server_error"] = /"error"\s*:\s*"([a-z_]{1,60})"/.exec(body.toString("utf8")) ?? [];
  return JSON.stringify({ error: code });
}
