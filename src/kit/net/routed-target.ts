// In a file of its own, which is imported only where a proxy or a certificate is configured.
import { request as sendHttp } from "node:http";
import { type AgentOptions, Agent as HttpsAgent, request as sendHttps } from "node:https";
import { isIP } from "node:net";
import type { Duplex } from "node:stream";
import type { SecureContext } from "node:tls";
import { toDialTarget } from "./dial-target.ts";
import { addSecurity, type HttpTarget, type HttpTargetOptions, openDirectTarget } from "./http-target.ts";
import { proxyAuthError, proxyRefusalError, proxyUnreachableError } from "./proxy-errors.ts";
import { findProxyCredentials, type Route } from "./proxy-rules.ts";
import { createTrust } from "./trusted-certificates.ts";

interface ProxyOptions {
  /** Is the URL of the proxy, with its credentials. */
  proxy: string;
  /** Is what TLS trusts; absent for the usual certificates. */
  secureContext: SecureContext | undefined;
  /** Limits how long it may take until a tunnel is open, in milliseconds. */
  connectMs: number;
}

/**
 * Opens a target that is called by a route. By a proxy https goes through a tunnel (RFC 9110, 9.3.6), and http as requests to the proxy
 * itself. What goes wrong at the proxy is a `ProxyError`. `connectMs` limits how long it takes to open a tunnel, in milliseconds.
 */
export function openRoutedTarget(url: URL, { proxy, ca }: Route, connectMs: number): HttpTarget {
  const secureContext = ca === undefined ? undefined : createTrust(ca);
  if (proxy === undefined) return openDirectTarget(url, secureContext);
  const options = { proxy, secureContext, connectMs };
  return url.protocol === "https:" ? openTunnelTarget(url, options) : openForwardTarget(url, options);
}

function openTunnelTarget(url: URL, proxyOptions: ProxyOptions): HttpTarget {
  const { secureContext } = proxyOptions;
  const direct = openDirectTarget(url, secureContext);
  return {
    ...direct,
    options: { ...direct.options, servername: toServerName(url) },
    createAgent: (options) => new TunnelAgent(url, proxyOptions, addSecurity(options, secureContext)),
  };
}

function openForwardTarget(url: URL, { proxy, secureContext }: ProxyOptions): HttpTarget {
  const toProxy = openProxy(proxy, secureContext);
  const headers = { host: url.host, ...toProxy.options.headers };
  return {
    ...toProxy,
    options: { ...toProxy.options, path: `${url.origin}${url.pathname}${url.search}`, headers },
    explainFailure: (failure, isConnected) => (isConnected ? failure : proxyUnreachableError(proxy, failure)),
    explainStatus: (status) => (status === 407 ? proxyAuthError(proxy, undefined) : undefined),
  };
}

/** Opens the proxy itself. The `host` header of what is sent to it names another host, so TLS is told its own. */
function openProxy(proxy: string, secureContext: SecureContext | undefined): HttpTarget {
  const url = new URL(proxy);
  const target = openDirectTarget(url, secureContext);
  const credentials = findProxyCredentials(proxy);
  const headers: Record<string, string> =
    credentials === undefined ? {} : { "proxy-authorization": `Basic ${credentials}` };
  return { ...target, options: { ...target.options, servername: toServerName(url), headers } };
}

/** Addresses have no name. */
function toServerName(url: URL): string {
  const { host } = toDialTarget(url);
  return isIP(host) === 0 ? host : "";
}

/** Makes each connection within a tunnel of its own. */
class TunnelAgent extends HttpsAgent {
  readonly #url: URL;
  readonly #proxyOptions: ProxyOptions;

  constructor(url: URL, proxyOptions: ProxyOptions, options: AgentOptions) {
    super(options);
    this.#url = url;
    this.#proxyOptions = proxyOptions;
  }

  /** Gives the connection to `callback`. The type of that does not know that a failure comes without one. */
  override createConnection(
    options: HttpTargetOptions,
    callback: (error: Error | null, socket: Duplex) => void = () => {},
  ): undefined {
    openTunnel(this.#url, this.#proxyOptions, options.tunnelSignal)
      .then((tunnel) => super.createConnection(Object.assign({}, options, { socket: tunnel })) as Duplex)
      .then(
        (socket) => callback(null, socket),
        (thrown: Error) => callback(thrown, undefined as never),
      );
  }
}

/** Rejects with a `ProxyError`, and when the signal aborts. */
function openTunnel(
  url: URL,
  { proxy, secureContext, connectMs }: ProxyOptions,
  signal: AbortSignal | undefined,
): Promise<Duplex> {
  const { host, port } = toDialTarget(url);
  const path = `${host.includes(":") ? `[${host}]` : host}:${port}`;
  const { isSecure, options, createAgent } = openProxy(proxy, secureContext);
  const headers = { ...options.headers, host: path };
  return new Promise((resolve, reject) => {
    const request = (isSecure ? sendHttps : sendHttp)({
      ...{ ...options, method: "CONNECT", path, headers, agent: createAgent({}) },
      ...(signal && { signal }),
    });
    const timer = setTimeout(() => {
      const error = new Error(`the tunnel was not opened within ${connectMs} ms`);
      request.destroy(Object.assign(error, { code: "ETIMEDOUT" }));
    }, connectMs);
    request.once("connect", ({ statusCode = 0 }, socket, head) => {
      clearTimeout(timer);
      if (statusCode >= 200 && statusCode < 300) {
        socket.unshift(head);
        resolve(socket);
        return;
      }
      socket.destroy();
      reject(
        statusCode === 407
          ? proxyAuthError(proxy, undefined)
          : proxyRefusalError(proxy, url.host, String(statusCode), undefined),
      );
    });
    request.on("error", (error) => {
      clearTimeout(timer);
      reject(proxyUnreachableError(proxy, error));
    });
    request.end();
  });
}
