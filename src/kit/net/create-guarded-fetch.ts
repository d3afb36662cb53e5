import { STATUS_CODES } from "node:http";
import { createTimeLimit, timeoutError } from "../async/timeout.ts";
import { DuetError } from "../errors.ts";
import { toShortLine } from "../text/short-line.ts";
import { version } from "../version.ts";
import { checkAddress, type Lookup, lookUp, type Reach } from "./check-address.ts";
import { describeConnectionFailure } from "./connection-failure.ts";
import { parseAddress, parseDialTarget, toDialTarget } from "./dial-target.ts";
import { isRedirect, toNextHop } from "./follow-redirect.ts";
import type { GuardedFetch, OutgoingRequest, OutgoingResponse } from "./guarded-fetch.ts";
import { type Answer, type Hop, sendRequest } from "./http-exchange.ts";
import { openSocket } from "./open-socket.ts";
import { parseEncodings, readBody } from "./read-body.ts";
import { failedRequestError } from "./request-errors.ts";

export interface GuardedFetchOptions {
  reach: Reach;
  lookup?: Lookup | undefined;
  ca?: string | undefined;
  idleMs?: number | undefined;
}

const mostRedirects = 5;

type Response = Omit<OutgoingResponse, "elapsedMs">;
type Step = { response: Response; next?: undefined } | { response?: undefined; next: Hop };

export function createGuardedFetch({ reach, lookup = lookUp, ca, idleMs = 15_000 }: GuardedFetchOptions): GuardedFetch {
  const rules = { ...reach, lookup };

  /** Sends one request; gives the response, or the request that it redirects to. */
  async function take(hop: Hop, request: OutgoingRequest, signal: AbortSignal): Promise<Step> {
    request.permits?.(new URL(hop.url));
    const target = toDialTarget(hop.url);
    const addresses = await checkAddress(target, rules, signal);
    const socket = await openSocket({ target, addresses, secure: hop.url.protocol === "https:", ca }, signal);
    try {
      await using answer = await sendRequest(hop, socket, { idleMs, signal });
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
    let hop = firstHop(request);
    for (let followed = 0; followed <= redirects; followed += 1) {
      const { response, next } = await take(hop, request, signal);
      if (response) return response;
      hop = next;
    }
    throw failedRequestError("bad_response", hop.url.host, {
      zh: `跳转超过 ${redirects} 次`,
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

function firstHop({ url, method = "GET", headers = {}, body }: OutgoingRequest): Hop {
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

async function read(hop: Hop, answer: Answer, maxBytes: number): Promise<Response> {
  const { status, headers, certificateUntil } = answer;
  const head = { url: hop.url.href, status, statusText: STATUS_CODES[status] ?? "", headers, certificateUntil };
  if (maxBytes === 0) return { ...head, body: Buffer.alloc(0), truncated: true };
  const encodings = parseEncodings(headers["content-encoding"]);
  if (encodings === undefined) {
    const encoding = toShortLine(headers["content-encoding"] ?? "", 60);
    throw failedRequestError("bad_response", hop.url.host, {
      zh: `不支持这样压缩的内容（${encoding}）`,
      en: `content encoded like this is not taken (${encoding})`,
    });
  }
  return { ...head, ...(await readBody(answer.body, encodings, maxBytes)) };
}

/** Errors of sockets, of HTTP and of packed content have codes; anything else is ours. */
function isOfTheWire(thrown: unknown): boolean {
  return thrown instanceof Error && !(thrown instanceof DuetError) && "code" in thrown;
}
