import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { getRequestListener } from "@hono/node-server";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import type { McpServer } from "@modelcontextprotocol/server";
import type { Config } from "../../config/config.ts";
import type { Caller } from "../../core/caller.ts";
import type { Credentials } from "../../core/store/credentials.ts";
import type { FindRecords } from "../../core/store/shared-records.ts";
import { ignoreRejection } from "../../kit/async/ignore-rejection.ts";
import { DuetError } from "../../kit/errors.ts";
import { type Locale, say, type Text } from "../../kit/locale.ts";
import { formatCount } from "../../kit/text/format-count.ts";
import type { ConnectionDetails } from "../mcp/mcp-interface.ts";
import type { Log } from "../operations/log.ts";
import { isLoopback, toUrlHost } from "./address.ts";
import { createAuthenticate } from "./auth/authenticate.ts";
import { createApiTokenCheck } from "./auth/check-api-token.ts";
import { createGuessLimit } from "./auth/guess-limit.ts";
import type { Auth, Authenticate, OpenPages } from "./auth/open-auth.ts";
import { createTurns, toHttpConnection } from "./connection.ts";
import { createHealthPages, type Readiness } from "./health.ts";
import { type ConnectionLimits, connectionLimits, listen } from "./listen.ts";
import type { StopRuns } from "./mcp/abandoned-runs.ts";
import { createMcpRoute } from "./mcp/mcp-route.ts";
import type { FollowResources, OnChange } from "./mcp/requests.ts";
import { readAcceptedLocale } from "./request/accepted-locale.ts";
import { createAllowedNames } from "./request/allowed-names.ts";
import { checkRequest } from "./request/check-request.ts";
import type { HttpRefusal } from "./response/dialects.ts";
import { createInFlight, type InFlight } from "./response/in-flight.ts";
import { createRawAnswer } from "./response/raw-answer.ts";
import { createRoutes, type RequestSummary, type Route, type Routes } from "./routes.ts";

export interface HttpServerOptions {
  /** Creates one server for each session of the 2025 protocol and each request of the 2026 protocol. */
  createServer(caller: Caller, isOneRequest: boolean, details?: ConnectionDetails): Promise<McpServer>;
  /** Opens what machines share; absent where this one keeps its own. */
  findRecords?: FindRecords | undefined;
  /** Stops the runs of requests whose process no longer answers, where machines share them. */
  stopRuns?: StopRuns | undefined;
  settings: Config["serve"]["http"];
  host: string;
  /** Is 0 for any free port. */
  port: number;
  /** Is the operator's bearer token. */
  token?: string | undefined;
  /** Opens what knows the API tokens. None is accepted without it. */
  credentials?: (() => Promise<Credentials>) | undefined;
  /** Tells callers apart, beside the token. */
  authenticate?: Authenticate | undefined;
  /** Lists the pages that need no sign-in, besides those of health. */
  open?: OpenPages | undefined;
  /**
   * Creates `authenticate` and `open` for an address that is only known later. `resource` is the public address of `/mcp`. May
   * throw a `config` error.
   */
  openAuth?: ((resource: string) => Auth) | undefined;
  /** Holds the routes by path, besides `/mcp`, that need the same sign-in. */
  routes?: Readonly<Record<string, Route>> | undefined;
  onChange?: OnChange | undefined;
  followResources?: FollowResources | undefined;
  readiness(): Promise<Readiness>;
  /** Runs for each response as soon as its head is known. */
  onAnswer?: ((answer: RequestSummary) => void) | undefined;
  /** Ends what goes on, in its own time, before all is closed. */
  finish?: ((inFlight: InFlight) => Promise<void>) | undefined;
  locale: Locale;
  log: Log;
  /** Receives the address of `/mcp` as soon as it can be called. */
  onListening(url: string): void;
  /** Overrides values that are fixed otherwise. */
  limits?: Partial<ConnectionLimits> | undefined;
  signal: AbortSignal;
}

/** Limits how long open responses may take to end after a stop, in milliseconds. */
const graceMs = 1500;

/**
 * Serves MCP over Streamable HTTP until the signal aborts; all is closed then, within two seconds of what `finish` takes. Throws a `config`
 * error for an address that others reach where nothing tells callers apart, and a `network` one for a port in use.
 */
export async function serveOverHttp(options: HttpServerOptions): Promise<void> {
  const { settings, host, locale, log, signal } = options;
  if (!isGuarded(options) && !isLoopback(host)) throw unguardedAddressError(host);
  if (options.token !== undefined && options.token.length < shortestToken) {
    if (!isLoopback(host)) throw shortTokenError(host, options.token);
    log(say(locale, describeShortToken(options.token)), "warn");
  }
  const inFlight = createInFlight();
  const mcp = createMcpRoute({
    createServer: options.createServer,
    onChange: options.onChange,
    followResources: options.followResources,
    inFlight,
    findRecords: options.findRecords,
    stopRuns: options.stopRuns,
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
  const listening = await listen({ host, port: options.port, locale }, limits, (port) => {
    const names = createAllowedNames({ ...settings, host, port });
    const base = settings.publicUrl?.replace(/\/+$/, "") ?? `http://${toUrlHost(host)}:${port}`;
    const auth = options.openAuth?.(`${base}/mcp`);
    const signIn = options.authenticate ?? auth?.authenticate;
    const authenticate = createGuessLimit({
      authenticate: createAuthenticate({
        token: options.token,
        checkApiToken: options.credentials && createApiTokenCheck({ credentials: options.credentials, now: Date.now }),
        signIn,
        checkSession: auth?.checkSession,
        isRequired: settings.requireToken,
      }),
      hasSignIn: signIn !== undefined,
      locale,
      log,
    });
    const app = createRoutes({
      names,
      authenticate,
      open: {
        ...createHealthPages({ readiness: options.readiness, authenticate, signal }),
        ...options.open,
        ...auth?.routes,
      },
      forms: auth?.forms,
      routes: {
        "/mcp": { GET: mcp.handle, POST: mcp.handle, DELETE: mcp.handle, isStream: true },
        ...options.routes,
      },
      onAnswer: options.onAnswer,
      inFlight,
      locale,
      log,
    });
    return createGuardedListener({
      judge: (request) => checkRequest(request, names),
      respond: createListener(app),
      onAnswer: options.onAnswer,
      locale,
    });
  });
  options.onListening(`http://${toUrlHost(host)}:${listening.port}/mcp`);
  await waitForAbort(signal);
  await options.finish?.(inFlight);
  await Promise.all([listening.close(graceMs), mcp.close()]);
}

/** Limits a token from below, in characters, where others can try one after another. */
const shortestToken = 16;

function isGuarded({ token, authenticate, openAuth, settings }: HttpServerOptions): boolean {
  return settings.requireToken || [token, authenticate, openAuth].some((way) => way !== undefined);
}

interface Guard extends Pick<HttpServerOptions, "onAnswer" | "locale"> {
  judge(request: IncomingMessage): HttpRefusal | undefined;
  respond(request: IncomingMessage, response: ServerResponse): void;
}

/** Checks each request, on any route, before anything of it is used. */
function createGuardedListener({ judge, respond, onAnswer, locale }: Guard): RequestListener {
  return (request, response) => {
    const refusal = judge(request);
    if (refusal === undefined) return respond(request, response);
    const accepted = readAcceptedLocale(request.headers["accept-language"], locale);
    const { status, headers, body } = createRawAnswer(refusal, accepted, request.url ?? "");
    // What may still come of the body is not read.
    response.writeHead(status, headers);
    response.end(body);
    onAnswer?.({ route: undefined, method: request.method ?? "", status, elapsedMs: 0, stream: undefined });
  };
}

async function waitForAbort(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}

function unguardedAddressError(host: string): DuetError {
  const place = JSON.stringify(host);
  return new DuetError({
    code: "config",
    text: {
      zh: `--http: ${place} 可从其他机器访问，而没有设置令牌`,
      en: `--http: ${place} can be reached from other machines, and no token is set`,
    },
    hint: {
      zh: "请设置 DUET_HTTP_TOKEN、serve.http.auth 或 serve.http.requireToken，或只监听 127.0.0.1。",
      en: "Set DUET_HTTP_TOKEN, serve.http.auth or serve.http.requireToken, or listen on 127.0.0.1.",
    },
  });
}

function shortTokenError(host: string, token: string): DuetError {
  const place = JSON.stringify(host);
  const short = describeShortToken(token);
  return new DuetError({
    code: "config",
    text: {
      zh: `--http: ${place} 可从其他机器访问，而 ${short.zh}`,
      en: `--http: ${place} can be reached from other machines, and ${short.en}`,
    },
    hint: {
      zh: "请设置更长的 DUET_HTTP_TOKEN（openssl rand -hex 32），或只监听 127.0.0.1。",
      en: "Set a longer DUET_HTTP_TOKEN (openssl rand -hex 32), or listen on 127.0.0.1.",
    },
  });
}

function describeShortToken({ length }: string): Text {
  return {
    zh: `DUET_HTTP_TOKEN 只有 ${length} 个字符（允许：至少 ${shortestToken} 个）`,
    en: `DUET_HTTP_TOKEN has ${formatCount(length, "character")} (allowed: at least ${shortestToken})`,
  };
}

/** The server must not change the whole process, so the globals stay as they are. */
const ours = { overrideGlobalObjects: false };

/** Joins Node's requests to web-standard ones. */
export function createListener(routes: Routes): RequestListener {
  const takeTurn = createTurns();
  async function createResponse(
    request: Request,
    incoming: IncomingMessage,
    outgoing: ServerResponse,
  ): Promise<Response> {
    const response = await routes.fetch(request, { connection: toHttpConnection(incoming, outgoing, takeTurn) });
    if (!response.headers.get("content-type")?.startsWith("text/event-stream")) return response;
    // What the package would say in its place has the cause in it.
    await sendStream(response, outgoing).catch(() => outgoing.destroy());
    return RESPONSE_ALREADY_SENT;
  }
  return (incoming, outgoing) => {
    const answer = getRequestListener((request) => createResponse(request, incoming, outgoing), ours);
    void answer(incoming, outgoing);
  };
}

/** Limits how much may wait for a slow reader, in bytes. One more message may be added, however long it is. */
const mostWaiting = 1_048_576;

/** Limits how long waiting data may stay unread, in milliseconds. */
const stalledMs = 60_000;

/**
 * Sends a response whose body comes bit by bit, each at once. The source is never held back, as it would keep everything
 * itself: a reader for whom more waits than the limits say is cut off.
 */
export async function sendStream(response: Response, outgoing: ServerResponse): Promise<void> {
  const reader = response.body?.getReader();
  let stalled: NodeJS.Timeout | undefined;
  outgoing.once("close", () => {
    clearTimeout(stalled);
    void ignoreRejection(reader?.cancel(), "the client has left, so nobody reads on");
  });
  outgoing.on("drain", () => {
    clearTimeout(stalled);
    stalled = undefined;
  });
  if (outgoing.destroyed) return void (await reader?.cancel());
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  outgoing.writeHead(response.status, toHeaderRecord(response));
  outgoing.flushHeaders();
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true, value: undefined };
    if (outgoing.destroyed) return;
    if (done) return void outgoing.end();
    if (outgoing.writableLength > mostWaiting) return void outgoing.destroy();
    const text = escapeLineSeparators(decoder.decode(value, { stream: true }));
    if (!outgoing.write(text)) stalled ??= setTimeout(() => outgoing.destroy(), stalledMs);
  }
}

/**
 * Escapes the characters that some readers of event streams take for the end of a line, such as httpx-sse up to 0.4.1, which then
 * wait for the rest of the event for ever. They only occur in strings of JSON.
 */
function escapeLineSeparators(text: string): string {
  return text.replace(/[\u0085\u2028\u2029]/g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** The SDK does not decide whether the connection stays open. */
function toHeaderRecord({ headers }: Response): Record<string, string> {
  const { connection: _, ...rest } = Object.fromEntries(headers);
  return rest;
}
