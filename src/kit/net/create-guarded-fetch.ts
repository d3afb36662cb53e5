import { isUtf8 } from "node:buffer";
import { STATUS_CODES } from "node:http";
import { connect, isIP, type LookupFunction, type Socket } from "node:net";
import { connect as connectTls, type SecureContext } from "node:tls";
import { createTimeLimit, timeoutError } from "../async/timeout.ts";
import { DuetError } from "../errors.ts";
import { toShortLine } from "../text/sanitize.ts";
import { version } from "../version.ts";
import { checkAddress, checkProxied, type Lookup, lookUp, type Reach } from "./check-address.ts";
import { type DialTarget, parseAddress, parseDialTarget, toDialTarget } from "./dial-target.ts";
import type { GuardedFetch, OutgoingRequest, OutgoingResponse } from "./guarded-fetch.ts";
import { type Hop, type HttpResponse, sendRequest } from "./http-exchange.ts";
import { findRoute, type ProxyRules } from "./proxy-rules.ts";
import { parseEncodings, readBody } from "./read-body.ts";
import { describeConnectionFailure, failedRequestError, refusedError } from "./request-errors.ts";
import { createTrust } from "./trusted-certificates.ts";

export interface GuardedFetchOptions {
  reach: Reach;
  lookup?: Lookup | undefined;
  ca?: string | undefined;
  idleMs?: number | undefined;
  /** Says which requests go by a proxy, and which further certificates are trusted. */
  network?: ProxyRules | undefined;
}

const mostRedirects = 5;

type Response = Omit<OutgoingResponse, "elapsedMs">;

type Step = { response: Response; next?: undefined } | { response?: undefined; next: Hop };

export function createGuardedFetch(options: GuardedFetchOptions): GuardedFetch {
  const { reach, lookup = lookUp, idleMs = 15_000, network } = options;
  const rules = { ...reach, lookup };
  const trust = options.ca === undefined && network?.ca !== undefined ? createTrust(network.ca) : undefined;
  const certificates = { ca: options.ca, secureContext: trust };

  async function send(hop: Hop, signal: AbortSignal): Promise<HttpResponse & AsyncDisposable> {
    const target = toDialTarget(hop.url);
    const route = findRoute(network, hop.url);
    if (route?.proxy !== undefined) {
      await checkProxied(target, rules, signal);
      const { sendByProxy } = await import("./create-dispatcher.ts");
      return sendByProxy(hop, route, { idleMs, signal });
    }
    const addresses = await checkAddress(target, rules, signal);
    const secure = hop.url.protocol === "https:";
    return sendRequest(hop, await openSocket({ target, addresses, secure, ...certificates }, signal), {
      idleMs,
      signal,
    });
  }

  /** Sends one request; gives the response, or the request that it redirects to. */
  async function take(hop: Hop, request: OutgoingRequest, signal: AbortSignal): Promise<Step> {
    request.permits?.(new URL(hop.url));
    try {
      await using answer = await send(hop, signal);
      if (isRedirect(answer) && request.maxRedirects > 0) return { next: toNextHop(hop, answer) };
      return { response: await read(hop, answer, request.maxBytes) };
    } catch (thrown) {
      signal.throwIfAborted();
      throw isOfTheWire(thrown)
        ? failedRequestError("network", hop.url.host, describeConnectionFailure(thrown))
        : thrown;
    }
  }

  async function follow(request: OutgoingRequest, signal: AbortSignal): Promise<Response> {
    const redirects = Math.min(request.maxRedirects, mostRedirects);
    let hop = createFirstHop(request);
    for (let followed = 0; followed <= redirects; followed += 1) {
      const { response, next } = await take(hop, request, signal);
      if (response) return response;
      hop = next;
    }
    throw failedRequestError("bad_response", hop.url.host, {
      zh: `重定向超过 ${redirects} 次`,
      en: `it redirects more than ${redirects} times`,
    });
  }

  return {
    async request(request) {
      const start = performance.now();
      const { host } = parseAddress(request.url);
      const error = timeoutError({ zh: `访问 ${host}`, en: `The request to ${host}` }, request.timeoutMs);
      const limit = createTimeLimit(request.timeoutMs, () => error, request.signal);
      try {
        return { ...(await follow(request, limit.signal)), elapsedMs: performance.now() - start };
      } finally {
        limit.clear();
      }
    },
    async connect(host, port, { timeoutMs, signal }) {
      const start = performance.now();
      const target = parseDialTarget(host, port);
      const error = timeoutError({ zh: `连接 ${target.shown}`, en: `Connecting to ${target.shown}` }, timeoutMs);
      const limit = createTimeLimit(timeoutMs, () => error, signal);
      try {
        const addresses = await checkAddress(target, rules, limit.signal);
        const socket = await openSocket({ target, addresses, secure: false }, limit.signal);
        socket.destroy();
        return performance.now() - start;
      } finally {
        limit.clear();
      }
    },
  };
}

function createFirstHop({ url, method = "GET", headers = {}, body }: OutgoingRequest): Hop {
  const own = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
  return {
    url: parseAddress(url),
    method: method.toUpperCase(),
    headers: {
      accept: "*/*",
      "user-agent": `Duet/${version}`,
      ...Object.fromEntries(own),
      "accept-encoding": "gzip, br",
    },
    body,
  };
}

async function read(hop: Hop, answer: HttpResponse, maxBytes: number): Promise<Response> {
  const { status, headers, certificateUntil } = answer;
  const head = { url: hop.url.href, status, statusText: STATUS_CODES[status] ?? "", headers, certificateUntil };
  if (maxBytes === 0) return { ...head, body: Buffer.alloc(0), truncated: true };
  const encodings = parseEncodings(headers["content-encoding"]);
  if (encodings === undefined) {
    const encoding = toShortLine(headers["content-encoding"] ?? "", 60);
    throw failedRequestError("bad_response", hop.url.host, {
      zh: `不支持的 Content-Encoding（${encoding}）`,
      en: `unsupported Content-Encoding (${encoding})`,
    });
  }
  return { ...head, ...(await readBody(answer.body, encodings, maxBytes)) };
}

/** Errors of sockets, of HTTP and of packed content have codes; anything else is ours. */
function isOfTheWire(thrown: unknown): boolean {
  return thrown instanceof Error && !(thrown instanceof DuetError) && "code" in thrown;
}

export interface ConnectionTarget {
  target: DialTarget;
  /** These addresses are already checked, and no other is connected to. */
  addresses: readonly string[];
  secure: boolean;
  /** Holds the certificates to trust instead of the usual ones. */
  ca?: string | undefined;
  /** Holds what TLS trusts when it is more than usual. */
  secureContext?: SecureContext | undefined;
}

/** Opens a socket to one of the addresses, whichever answers first; TLS is done and checked. Throws a `DuetError`, or the signal's reason. */
async function openSocket(
  { target, addresses, secure, ca, secureContext }: ConnectionTarget,
  signal: AbortSignal,
): Promise<Socket> {
  signal.throwIfAborted();
  const { host, port } = target;
  const socket = connect({
    host,
    port,
    lookup: limitLookup(addresses),
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: 1000,
    noDelay: true,
  });
  try {
    await waitForSocket(socket, "connect", signal);
    if (!secure) return socket;
    const servername = isIP(host) === 0 ? host : undefined;
    const tls = connectTls({ socket, host, servername, ca, secureContext, ALPNProtocols: ["http/1.1"] });
    await waitForSocket(tls, "secureConnect", signal);
    return tls;
  } catch (thrown) {
    socket.destroy();
    signal.throwIfAborted();
    throw failedRequestError("network", target.shown, describeConnectionFailure(thrown));
  }
}

/** Returns a lookup with a fixed result. Node calls it for names only, and connects to a literal directly. */
function limitLookup(addresses: readonly string[]): LookupFunction {
  const answers = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_host, options, callback) => {
    const [first] = answers;
    if (options.all || first === undefined) callback(null, answers);
    else callback(null, first.address, first.family);
  };
}

async function waitForSocket(socket: Socket, event: "connect" | "secureConnect", signal: AbortSignal): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const stop = (): void => reject(signal.reason);
  const close = (): void => reject(Object.assign(new Error(), { code: "ECONNRESET" }));
  signal.addEventListener("abort", stop, { once: true });
  socket.once(event, resolve).on("error", reject).once("close", close);
  try {
    await promise;
  } finally {
    signal.removeEventListener("abort", stop);
    socket.off("close", close);
  }
}

export function isRedirect({ status, headers }: Pick<HttpResponse, "status" | "headers">): boolean {
  return [301, 302, 303, 307, 308].includes(status) && headers.location !== undefined;
}

/**
 * Returns the request that a redirect asks for. It follows the Fetch standard
 * (https://fetch.spec.whatwg.org/#http-redirect-fetch) and is stricter: it never goes from https to http, sends no body and no
 * changing method to another origin, and sends only harmless headers there.
 */
export function toNextHop(hop: Hop, { status, headers }: Pick<HttpResponse, "status" | "headers">): Hop {
  const url = readLocation(headers.location ?? "", hop.url);
  if (hop.url.protocol === "https:" && url.protocol === "http:") {
    throw refusedError(url.origin, {
      zh: `${hop.url.origin} 从 https 重定向到 http，不安全`,
      en: `${hop.url.origin} redirects to it, from https to http, which is not safe`,
    });
  }
  const next = isChangedToGet(hop, status)
    ? { url, method: "GET", headers: removeHeaders(hop.headers, ofBodies), body: undefined }
    : { ...hop, url };
  if (url.origin === hop.url.origin) return next;
  if (next.body !== undefined || !["GET", "HEAD", "OPTIONS"].includes(next.method)) {
    throw refusedError(url.origin, {
      zh: `${hop.url.origin} 把 ${hop.method} 请求重定向到它，没有跟随`,
      en: `${hop.url.origin} redirects a ${hop.method} request to it, which is not followed`,
    });
  }
  return { ...next, headers: pickHeaders(next.headers, harmless) };
}

function isChangedToGet({ method }: Hop, status: number): boolean {
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

function pickHeaders(headers: Record<string, string>, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => names.includes(name)));
}

function removeHeaders(headers: Record<string, string>, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !names.includes(name)));
}
