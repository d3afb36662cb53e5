import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { McpServer } from "@modelcontextprotocol/server";
import type { Config } from "../../config/load-config.ts";
import type { Caller } from "../../core/caller.ts";
import { DuetError } from "../../kit/errors.ts";
import type { Locale } from "../../kit/locale.ts";
import type { Log } from "../operations/log.ts";
import { isLoopback, toUrlHost } from "./address.ts";
import { createAuthenticate } from "./auth/admit.ts";
import type { Authenticate, OpenPages } from "./auth/authenticate.ts";
import { createHealthPages, type Readiness } from "./health.ts";
import { type ConnectionLimits, connectionLimits, listen } from "./listen.ts";
import { createListener } from "./listener.ts";
import { createMcpRoute } from "./mcp/mcp-route.ts";
import type { OnChange } from "./mcp/requests.ts";
import { createAllowedNames } from "./request/allowed-names.ts";
import { checkRequest } from "./request/check-request.ts";
import { findDialect } from "./response/dialects.ts";
import { createInFlight, type InFlight } from "./response/in-flight.ts";
import type { HttpRefusal } from "./response/refusal.ts";
import { renderRefusal } from "./response/refuse.ts";
import { type Answer, createRoutes, type Route } from "./routes.ts";

export interface HttpServerOptions {
  /** One for each session of the 2025 protocol and each request of the 2026 one. */
  createServer(caller: Caller, isOneRequest: boolean): Promise<McpServer>;
  settings: Config["serve"]["http"];
  host: string;
  /** 0: any that is free. */
  port: number;
  /** The bearer token of the operator. */
  token?: string | undefined;
  /** Tells callers apart, beside the token. */
  authenticate?: Authenticate | undefined;
  /** Pages that need no sign-in, beside those of health. */
  open?: OpenPages | undefined;
  /** The same two for an address that is not known before; `resource` is the public address of `/mcp`. May throw a `config` error. */
  openAuth?: ((resource: string) => Auth) | undefined;
  /** Routes by path, beside `/mcp`, that need the same sign-in. */
  routes?: Readonly<Record<string, Route>> | undefined;
  onChange?: OnChange | undefined;
  /** Whether a question could be served now. */
  readiness(): Promise<Readiness>;
  /** Told of each answer as soon as its head is known. */
  onAnswer?: ((answer: Answer) => void) | undefined;
  /** Ends what goes on, in its own time, before all is closed. */
  finish?: ((inFlight: InFlight) => Promise<void>) | undefined;
  locale: Locale;
  log: Log;
  /** Told the address of `/mcp` as soon as it can be called. */
  onListening(url: string): void;
  /** Changes of what is fixed otherwise. */
  limits?: Partial<ConnectionLimits> | undefined;
  signal: AbortSignal;
}

/** A way to sign in. */
export interface Auth {
  authenticate: Authenticate;
  /** Pages that say how, for whoever is not signed in. */
  routes: OpenPages;
}

/** How long open answers may take to end once it is over, in milliseconds. */
const graceMs = 1500;

/**
 * Serves MCP over Streamable HTTP until the signal aborts; all is closed then, within two seconds of what `finish` takes. Throws a `config`
 * error for an address that others reach where nothing tells callers apart, and a `network` one for a port in use.
 */
export async function serveOverHttp(options: HttpServerOptions): Promise<void> {
  const { settings, host, locale, log, signal } = options;
  if (!isGuarded(options) && !isLoopback(host)) throw unguarded(host);
  const inFlight = createInFlight();
  const mcp = createMcpRoute({
    createServer: options.createServer,
    onChange: options.onChange,
    inFlight,
    maxBody: settings.maxBody,
    maxSessions: settings.maxSessions,
    sessionIdleMs: settings.sessionIdle * 1000,
    locale,
    log,
  });
  const limits = {
    most: settings.maxConnections,
    mostPerAddress: settings.maxConnectionsPerAddress,
    ...connectionLimits,
    ...options.limits,
  };
  const listening = await listen({ host, port: options.port }, limits, (port) => {
    const names = createAllowedNames({ ...settings, host, port });
    const base = settings.publicUrl?.replace(/\/+$/, "") ?? `http://${toUrlHost(host)}:${port}`;
    const auth = options.openAuth?.(`${base}/mcp`);
    const authenticate = createAuthenticate(options.token, options.authenticate ?? auth?.authenticate);
    const app = createRoutes({
      names,
      authenticate,
      open: {
        ...createHealthPages({ readiness: options.readiness, authenticate, signal }),
        ...options.open,
        ...auth?.routes,
      },
      routes: { "/mcp": { GET: mcp.handle, POST: mcp.handle, DELETE: mcp.handle }, ...options.routes },
      onAnswer: options.onAnswer,
      inFlight,
      locale,
      log,
    });
    return guarded({
      judge: (request) => checkRequest(request, names),
      respond: createListener(app),
      onAnswer: options.onAnswer,
      locale,
    });
  });
  options.onListening(`http://${toUrlHost(host)}:${listening.port}/mcp`);
  await aborted(signal);
  await options.finish?.(inFlight);
  await Promise.all([listening.close(graceMs), mcp.close()]);
}

function isGuarded({ token, authenticate, openAuth }: HttpServerOptions): boolean {
  return [token, authenticate, openAuth].some((way) => way !== undefined);
}

interface Guard extends Pick<HttpServerOptions, "onAnswer" | "locale"> {
  judge(request: IncomingMessage): HttpRefusal | undefined;
  respond(request: IncomingMessage, response: ServerResponse): void;
}

/** Nothing of a request is used before it has been judged, on any route. */
function guarded({ judge, respond, onAnswer, locale }: Guard): RequestListener {
  return (request, response) => {
    const refusal = judge(request);
    if (refusal === undefined) return respond(request, response);
    const { type, body } = renderRefusal(refusal, locale, findDialect(request.url ?? ""));
    const fixed = {
      "content-type": type,
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
    };
    // What may still come of the body is not read.
    response.writeHead(refusal.status, { ...fixed, connection: "close", ...refusal.headers });
    response.end(body);
    const { status } = refusal;
    onAnswer?.({ route: undefined, method: request.method ?? "", status, elapsedMs: 0, stream: undefined });
  };
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}

function unguarded(host: string): DuetError {
  const place = JSON.stringify(host);
  return new DuetError({
    code: "config",
    text: {
      zh: `--http: ${place} 可从其他机器访问，而没有设置令牌`,
      en: `--http: ${place} can be reached from other machines, and no token is set`,
    },
    hint: {
      zh: "请设置 DUET_HTTP_TOKEN 或 serve.http.auth，或只监听 127.0.0.1。",
      en: "Set DUET_HTTP_TOKEN or serve.http.auth, or listen on 127.0.0.1.",
    },
  });
}
