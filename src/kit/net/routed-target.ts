// In a file of its own, which is imported only where a proxy or a certificate is configured.
import { request as sendHttp } from "node:http";
import { type AgentOptions, Agent as HttpsAgent, request as sendHttps } from "node:https";
import type { Duplex } from "node:stream";
import type { SecureContext } from "node:tls";
import { addSecurity, type HttpTarget, openDirectTarget, type TunnelOptions, toSocketAddress } from "./http-target.ts";
import { proxyAuthError, proxyRefusalError, proxyUnreachableError } from "./proxy-errors.ts";
import type { Route } from "./proxy-rules.ts";
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
 * itself. What goes wrong at the proxy is a `ProxyError`. `connectMs` limits how long it may take until a tunnel is open.
 */
export function openRoutedTarget(url: URL, { proxy, ca }: Route, connectMs: number): HttpTarget {
  const secureContext = ca === undefined ? undefined : createTrust(ca);
  if (proxy === undefined) return openDirectTarget(url, secureContext);
  const options = { proxy, secureContext, connectMs };
  return url.protocol === "https:" ? openTunnelTarget(url, options) : openForwardTarget(url, options);
}

function openTunnelTarget(url: URL, proxyOptions: ProxyOptions): HttpTarget {
  const { secureContext } = proxyOptions;
  return {
    ...openDirectTarget(url, secureContext),
    isTunnel: true,
    createAgent: (options) => new TunnelAgent(url, proxyOptions, addSecurity(options, secureContext)),
  };
}

function openForwardTarget(url: URL, { proxy, secureContext }: ProxyOptions): HttpTarget {
  const direct = openDirectTarget(new URL(proxy), secureContext);
  const path = `${url.origin}${url.pathname}${url.search}`;
  return {
    ...direct,
    options: { ...direct.options, path, headers: { host: url.host, ...createCredentials(proxy) } },
    explainFailure: (failure, isConnected) => (isConnected ? failure : proxyUnreachableError(proxy, failure)),
    explainStatus: (status) => (status === 407 ? proxyAuthError(proxy, undefined) : undefined),
  };
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

  override createConnection(...given: Parameters<HttpsAgent["createConnection"]>): undefined {
    const [options, callback] = given;
    const { tunnelSignal } = options as typeof options & TunnelOptions;
    openTunnel(this.#url, this.#proxyOptions, tunnelSignal).then(
      (socket) => callback?.(null, super.createConnection({ ...options, socket } as typeof options) as Duplex),
      (thrown) => callback?.(thrown, undefined as never),
    );
  }
}

/** Rejects with a `ProxyError`, and when the signal aborts. */
function openTunnel(
  url: URL,
  { proxy, secureContext, connectMs }: ProxyOptions,
  signal: AbortSignal | undefined,
): Promise<Duplex> {
  const { host, port } = toSocketAddress(url);
  const path = `${host.includes(":") ? `[${host}]` : host}:${port}`;
  const { isSecure, options, createAgent } = openDirectTarget(new URL(proxy), secureContext);
  return new Promise((resolve, reject) => {
    const request = (isSecure ? sendHttps : sendHttp)({
      ...options,
      ...{ method: "CONNECT", path, headers: { host: path, ...createCredentials(proxy) } },
      agent: createAgent({}),
      ...(signal && { signal }),
    });
    const timer = setTimeout(
      () => request.destroy(Object.assign(new Error("the tunnel was not opened in time"), { code: "ETIMEDOUT" })),
      connectMs,
    );
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

function createCredentials(proxy: string): { "proxy-authorization"?: string } {
  const { username, password } = new URL(proxy);
  if (username === "" && password === "") return {};
  const words = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { "proxy-authorization": `Basic ${Buffer.from(words).toString("base64")}` };
}
