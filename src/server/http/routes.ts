import { Hono } from "hono";
import { showValue } from "../../core/tools/argument-feedback.ts";
import { getMessage } from "../../kit/errors.ts";
import type { Locale } from "../../kit/locale.ts";
import type { Log } from "../operations/log.ts";
import type { AuthenticateFrom } from "./auth/guess-limit.ts";
import type { Admission, OpenPages } from "./auth/open-auth.ts";
import type { HttpConnection } from "./connection.ts";
import type { AllowedNames } from "./request/allowed-names.ts";
import { checkBody, hasNoBody } from "./request/check-request.ts";
import { findDialect, type HttpRefusal } from "./response/dialects.ts";
import type { InFlight } from "./response/in-flight.ts";
import { HttpRefusalError, internal, toRefusal, toRefusalResponse } from "./response/refusal.ts";

/** Represents a request whose sender is known. */
export interface RouteCall extends Admission {
  request: Request;
  /** Holds the values of the path's parameters, decoded: `id` of `/agent/runs/:id`. */
  params: Readonly<Record<string, string>>;
  connection: HttpConnection;
}

export interface Handle {
  (call: RouteCall): Promise<Response>;
  /** Is true where the address says everything, so that clients send no body. */
  readsNoBody?: true;
}

/** Maps each method of one path to its handler. */
export type Route = Readonly<Partial<Record<"GET" | "POST" | "DELETE", Handle>>>;

export interface RoutesOptions {
  names: AllowedNames;
  /** Runs on every path except those of `open`. */
  authenticate: AuthenticateFrom;
  open: OpenPages;
  routes: Readonly<Record<string, Route>>;
  /** Runs for each response as soon as its head is known. */
  onAnswer?: ((answer: RequestSummary) => void) | undefined;
  /** Holds the answers that an end of the server waits for. */
  inFlight?: InFlight | undefined;
  locale: Locale;
  log: Log;
}

/** Describes a response, for metrics and logs. */
export interface RequestSummary {
  /**
   * Is the path as it was registered (`/agent/runs/:id`), never the path that a client requested. Is undefined when no route
   * matched.
   */
  route: string | undefined;
  method: string;
  status: number;
  elapsedMs: number;
  /** Is present for a stream, whose end is still to come. */
  stream: HttpConnection | undefined;
}

/** Holds values that are not part of a web-standard request. */
interface Bindings {
  connection: HttpConnection;
}

/** Holds values that are found while a request is handled. */
interface Variables {
  route?: string | undefined;
}

export type Routes = Hono<{ Bindings: Bindings; Variables: Variables }>;

/** Answers web-standard requests whose headers have been judged. */
export function createRoutes(options: RoutesOptions): Routes {
  const { names, authenticate, open, routes, onAnswer, inFlight, locale, log } = options;
  const app = new Hono<{ Bindings: Bindings; Variables: Variables }>();

  async function admit(request: Request, { address }: HttpConnection): Promise<Admission> {
    const admission = await authenticate(request, address);
    if ("status" in admission) throw new HttpRefusalError(admission);
    return admission;
  }

  app.use(async (context, next) => {
    const began = performance.now();
    await next();
    const { headers, status } = context.res;
    addCorsHeaders(headers, context.req.raw, names);
    setSecurityHeaders(headers);
    const isStream = headers.get("content-type")?.startsWith("text/event-stream") === true;
    onAnswer?.({
      route: context.get("route"),
      method: context.req.method,
      status,
      elapsedMs: performance.now() - began,
      stream: isStream ? context.env.connection : undefined,
    });
  });
  app.options("*", (context) => toPreflightResponse(context.req.raw));
  for (const [path, page] of Object.entries(open))
    app.all(path, (context) => {
      context.set("route", path);
      const { method, raw } = context.req;
      if (method !== "GET" && method !== "HEAD") throw new HttpRefusalError(createMethodRefusal(method, ["GET"]));
      return page(raw, context.env.connection.address);
    });
  for (const [path, route] of Object.entries(routes))
    app.all(path, async (context) => {
      context.set("route", path);
      const { req } = context;
      const { connection } = context.env;
      const request = req.raw;
      const admission = await admit(request, connection);
      const handle = findHandle(route, request.method);
      if (handle === undefined) throw new HttpRefusalError(createMethodRefusal(request.method, Object.keys(route)));
      const isBare = handle.readsNoBody === true && hasNoBody(request.headers);
      const refusal = isBare ? undefined : checkBody(request.method, request.headers);
      if (refusal !== undefined) throw new HttpRefusalError(refusal);
      if (request.method === "POST") inFlight?.add(connection);
      return handle({ ...admission, request, params: req.param(), connection });
    });
  // As a route: what `notFound` throws would pass by what is added to every answer.
  app.all("*", async ({ req: { raw }, env }) => {
    await admit(raw, env.connection);
    throw new HttpRefusalError(createPathRefusal(new URL(raw.url).pathname, Object.keys({ ...open, ...routes })));
  });
  app.onError((thrown, context) => {
    const { path, method } = context.req;
    const refusal = toRefusal(thrown);
    // The cause is for the operator, not for the caller.
    if (refusal === undefined) log(getMessage(thrown), "error", { route: context.get("route"), method });
    return toRefusalResponse(refusal ?? internal, locale, findDialect(path));
  });
  return app;
}

function findHandle(route: Route, method: string): Handle | undefined {
  return method === "GET" || method === "POST" || method === "DELETE" ? route[method] : undefined;
}

/** Responses must not be cached or reach anybody else, and browsers must not guess their type. */
function setSecurityHeaders(headers: Headers): void {
  headers.set("x-content-type-options", "nosniff");
  headers.set(
    "cache-control",
    headers.get("cache-control")?.includes("no-transform") ? "no-store, no-transform" : "no-store",
  );
  headers.set("referrer-policy", "no-referrer");
  if (!headers.has("content-security-policy"))
    headers.set("content-security-policy", "default-src 'none'; frame-ancestors 'none'");
}

function createMethodRefusal(method: string, methods: readonly string[]): HttpRefusal {
  const allowed = methods.join(", ");
  const shown = showValue(method);
  return {
    status: 405,
    text: { zh: `不支持方法 ${shown}（允许：${allowed}）`, en: `method ${shown} is not allowed (allowed: ${allowed})` },
    headers: { allow: allowed },
  };
}

function createPathRefusal(path: string, paths: readonly string[]): HttpRefusal {
  const shown = showValue(path);
  const allowed = paths.join(", ");
  return {
    status: 404,
    text: { zh: `路径 ${shown} 不存在（允许：${allowed}）`, en: `unknown path ${shown} (allowed: ${allowed})` },
  };
}

/** Lists the headers that pages of the configured origins may send in addition to those that all pages may send. */
const sendable = [
  "accept",
  "authorization",
  "content-type",
  "idempotency-key",
  "last-event-id",
  "mcp-method",
  "mcp-name",
  "mcp-protocol-version",
  "mcp-session-id",
];

/** Matches the parameters that a tool also wants in headers, and the headers with which OpenAI's client describes itself. */
const parameter = /^(?:mcp-param|x-stainless)-[a-z0-9-]{1,64}$/;

/** Answers a preflight request. It needs no credentials and allows none. */
export function toPreflightResponse(request: Request): Response {
  const wanted = (request.headers.get("access-control-request-headers") ?? "").toLowerCase().split(/\s*,\s*/);
  const headers = {
    "access-control-allow-methods": "GET, POST, DELETE",
    "access-control-allow-headers": [...sendable, ...wanted.filter((name) => parameter.test(name)).slice(0, 32)].join(
      ", ",
    ),
    "access-control-max-age": "600",
  };
  return new Response(null, { status: 204, headers: { allow: "GET, POST, DELETE, OPTIONS", ...headers } });
}

/** Lets a page of a configured origin read the answer. Never an origin that is not in the list, never with cookies. */
export function addCorsHeaders(headers: Headers, request: Request, names: AllowedNames): void {
  const origin = request.headers.get("origin");
  headers.append("vary", "Origin");
  if (origin === null || !names.isForeignOrigin(origin.toLowerCase())) {
    for (const name of [...headers.keys()]) if (name.startsWith("access-control-")) headers.delete(name);
    return;
  }
  headers.set("access-control-allow-origin", origin);
  headers.set("access-control-expose-headers", "Location, Mcp-Session-Id, WWW-Authenticate, Retry-After");
}
