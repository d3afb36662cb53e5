// In a file of its own, which is imported only where a proxy or a certificate is configured.
import { Agent, type Dispatcher, fetch, Pool, ProxyAgent, request } from "undici";
import { type Hop, type HttpResponse, readHeaders } from "./http-exchange.ts";
import { proxyAuthError, proxyRefusalError, proxyUnreachableError } from "./proxy-errors.ts";
import type { Route } from "./proxy-rules.ts";
import { createTrust } from "./trusted-certificates.ts";

export interface DispatcherOptions {
  /** Limits how long connecting may take, TLS included, in milliseconds. */
  connectMs: number;
  /** Limits the silence within a response, in milliseconds, from the headers on. It is not limited when absent. */
  idleMs?: number;
}

/** Creates the connections of a route. What goes wrong at the proxy is a `ProxyError`, also for a caller of undici's `fetch`. */
export function createDispatcher({ proxy, ca }: Route, { connectMs, idleMs = 0 }: DispatcherOptions): Dispatcher {
  const secureContext = ca === undefined ? undefined : createTrust(ca);
  const connect = { timeout: connectMs, ...(secureContext && { secureContext }) };
  const limits = { headersTimeout: 0, bodyTimeout: idleMs, allowH2: false };
  if (proxy === undefined) return new Agent({ ...limits, connect });
  const agent = new ProxyAgent({
    ...limits,
    uri: proxy,
    connectTimeout: connectMs,
    requestTls: connect,
    proxyTls: connect,
    // Makes the connections for tunnels.
    clientFactory: (url, options) => new Pool(url, withMarkedFailures(options, proxy)),
    // Makes the connections to what is behind a tunnel, and those to the proxy itself over which http requests go.
    factory: (origin, options) =>
      new Pool(origin, {
        ...limits,
        ...(String(origin) === proxy ? withMarkedFailures(options, proxy) : options),
      }),
  });
  return agent.compose(
    (dispatch) => (options, handler) => dispatch(options, createHandler(handler, proxy, String(options.origin))),
  );
}

/** Creates a `fetch` for single requests by a route. Its connections close when they are idle. */
export function createRoutedFetch(route: Route): (url: URL, init: RequestInit) => Promise<Response> {
  const dispatcher = createDispatcher(route, { connectMs: longestConnectMs });
  return (url, { method, headers, body, redirect, signal }) => {
    // Our callers send texts only.
    const text = typeof body === "string" ? { body } : {};
    return fetch(url, { dispatcher, method, redirect, signal, headers: [...new Headers(headers)], ...text });
  };
}

/** Has a failure to connect to the proxy say so: it has the same code as a failure of the address behind it. */
function withMarkedFailures(options: Pool.Options, proxy: string): Pool.Options {
  const { connect } = options;
  if (typeof connect !== "function") return options;
  return {
    ...options,
    connect: (target, callback) =>
      connect(target, (...[error, socket]) =>
        error === null ? callback(null, socket) : callback(proxyUnreachableError(proxy, error), null),
      ),
  };
}

/** undici says in words alone that a proxy has refused. */
function createHandler(next: Dispatcher.DispatchHandler, proxy: string, origin: string): Dispatcher.DispatchHandler {
  let hasFailed = false;
  return {
    onRequestStart: (...given) => next.onRequestStart?.(...given),
    onBodySent: (...given) => next.onBodySent?.(...given),
    onRequestSent: (...given) => next.onRequestSent?.(...given),
    onResponseStarted: (...given) => next.onResponseStarted?.(...given),
    onRequestUpgrade: (...given) => next.onRequestUpgrade?.(...given),
    onResponseStart: (...given) => next.onResponseStart?.(...given),
    // The body of a refusal comes after the error that was made of it.
    onResponseData: (...given) => (hasFailed ? undefined : next.onResponseData?.(...given)),
    onResponseEnd: (...given) => (hasFailed ? undefined : next.onResponseEnd?.(...given)),
    onResponseError(controller, error) {
      if (hasFailed) return;
      hasFailed = true;
      next.onResponseError?.(controller, explainRefusal(error, proxy, origin));
    },
  };
}

function explainRefusal(error: Error, proxy: string, origin: string): Error {
  const [, tunnel, forward] = /^Proxy response \((\d+)\)|\((407)\)$/.exec(error.message) ?? [];
  const status = tunnel ?? forward;
  if (status === undefined) return error;
  return status === "407"
    ? proxyAuthError(proxy, error)
    : proxyRefusalError(proxy, new URL(origin).host, status, error);
}

/** Sends one request over a connection of its own by a proxy. Throws as undici does, or a `ProxyError`. */
export async function sendByProxy(
  { url, method, headers, body }: Hop,
  route: Route,
  options: { idleMs: number; signal: AbortSignal },
): Promise<HttpResponse & AsyncDisposable> {
  const dispatcher = createDispatcher(route, { connectMs: longestConnectMs, idleMs: options.idleMs });
  try {
    const response = await request(url, { dispatcher, method: method, headers, body, signal: options.signal });
    return {
      status: response.statusCode,
      headers: readHeaders(response.headers),
      // undici reports the end of a body that nobody read as an error of the body, which would end the process.
      body: response.body.on("error", () => {}),
      certificateUntil: undefined,
      async [Symbol.asyncDispose]() {
        response.body.destroy();
        await dispatcher.destroy();
      },
    };
  } catch (thrown) {
    await dispatcher.destroy();
    throw thrown;
  }
}

/** Limits how long connecting may take, in milliseconds. Whoever sends a request limits the whole of it. */
const longestConnectMs = 30_000;
