import { Hono } from "hono";
import { showValue } from "../../core/tools/argument-feedback.ts";
import { getMessage } from "../../kit/errors.ts";
import type { Locale } from "../../kit/locale.ts";
import type { Log } from "../operations/log.ts";
import type { AuthenticateFrom } from "./auth/guess-limit.ts";
import type { Admission, OpenPages } from "./auth/open-auth.ts";
import type { HttpConnection } from "./connection.ts";
import { readAcceptedLocale } from "./request/accepted-locale.ts";
import type { AllowedNames } from "./request/allowed-names.ts";
import { checkBody, hasNoBody } from "./request/check-request.ts";
import { findDialect, type HttpRefusal } from "./response/dialects.ts";
import { encodeResponse } from "./response/encode-response.ts";
import type { InFlight } from "./response/in-flight.ts";
import { HttpRefusalError, internal, toRefusal, toRefusalResponse } from "./response/refusal.ts";
import { createRequestId, setIds, setRetry } from "./response/response-headers.ts";
import { setSecurityHeaders } from "./response/security-headers.ts";

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

const servedMethods = ["GET", "POST", "PATCH", "DELETE"] as const;

type Method = (typeof servedMethods)[number];

/** Maps each method of one path to its handler. Where GET is served, HEAD is, too, unless GET begins a stream. */
export type Route = Readonly<Partial<Record<Method, Handle>>> & { readonly isStream?: true };

export interface RoutesOptions {
  names: AllowedNames;
  /** Runs on every path except those of `open`. */
  authenticate: AuthenticateFrom;
  open: OpenPages;
  /** Holds the pages to which anybody may send a form; each decides by itself from whom it takes one. */
  forms?: OpenPages | undefined;
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
  requestId: string;
}

export type Routes = Hono<{ Bindings: Bindings; Variables: Variables }>;

/** Answers web-standard requests whose headers have been judged. */
export function createRoutes(options: RoutesOptions): Routes {
  const { names, authenticate, open, forms = {}, routes, onAnswer, inFlight, locale, log } = options;
  // A slash at the end of a path makes no difference.
  const app = new Hono<{ Bindings: Bindings; Variables: Variables }>({ strict: false });

  async function admit(request: Request, { address }: HttpConnection): Promise<Admission> {
    const admission = await authenticate(request, address);
    if ("status" in admission) throw new HttpRefusalError(admission);
    return admission;
  }

  app.use(async (context, next) => {
    const began = performance.now();
    const { raw, path } = context.req;
    const requestId = createRequestId();
    context.set("requestId", requestId);
    await next();
    addCorsHeaders(context.res.headers, raw, names);
    setSecurityHeaders(context.res.headers);
    setIds(context.res.headers, requestId, findDialect(path));
    setRetry(context.res, findDialect(path));
    const encoded = await encodeResponse(context.res, raw);
    // Hono adds the headers of the answer before to those of one that takes its place.
    if (encoded !== context.res) context.res = undefined;
    context.res = encoded;
    const { headers, status } = encoded;
    const isStream = headers.get("content-type")?.startsWith("text/event-stream") === true;
    onAnswer?.({
      route: context.get("route"),
      method: context.req.method,
      status,
      elapsedMs: performance.now() - began,
      stream: isStream ? context.env.connection : undefined,
    });
  });
  for (const [path, page] of Object.entries(open))
    app.all(path, (context) => {
      context.set("route", path);
      const { method, raw } = context.req;
      const methods = ["GET", "HEAD", "OPTIONS"];
      if (method === "OPTIONS") return toPreflightResponse(raw, methods);
      if (!methods.includes(method)) throw new HttpRefusalError(createMethodRefusal(method, methods));
      return page(raw, context.env.connection.address);
    });
  for (const [path, page] of Object.entries(forms))
    app.all(path, (context) => {
      context.set("route", path);
      const { method, raw } = context.req;
      if (method !== "POST") throw new HttpRefusalError(createMethodRefusal(method, ["POST"]));
      return page(raw, context.env.connection.address);
    });
  for (const [path, route] of Object.entries(routes))
    app.all(path, async (context) => {
      context.set("route", path);
      const { req } = context;
      const { connection } = context.env;
      const methods = listMethods(route);
      if (req.method === "OPTIONS") return toPreflightResponse(req.raw, methods);
      const request = req.method === "HEAD" ? toPlainRead(req.raw) : req.raw;
      const admission = await admit(request, connection);
      const handle = methods.includes(req.method) ? findHandle(route, request.method) : undefined;
      if (handle === undefined) throw new HttpRefusalError(createMethodRefusal(req.method, methods));
      const isBare = handle.readsNoBody === true && hasNoBody(request.headers);
      const refusal = isBare ? undefined : checkBody(request.method, request.headers);
      if (refusal !== undefined) throw new HttpRefusalError(refusal);
      if (request.method === "POST" || request.method === "PATCH") inFlight?.add(connection);
      return handle({ ...admission, request, params: req.param(), connection });
    });
  app.options("*", (context) => toPreflightResponse(context.req.raw, undefined));
  // As a route: what `notFound` throws would pass by what is added to every answer.
  app.all("*", async ({ req: { raw }, env }) => {
    await admit(raw, env.connection);
    throw new HttpRefusalError(
      createPathRefusal(new URL(raw.url).pathname, Object.keys({ ...open, ...forms, ...routes })),
    );
  });
  app.onError((thrown, context) => {
    const { path, method } = context.req;
    const id = context.get("requestId");
    const refusal = toRefusal(thrown);
    // The cause is for the operator, not for the caller.
    if (refusal === undefined)
      log(getMessage(thrown), "error", { route: context.get("route"), method, request_id: id });
    const accepted = readAcceptedLocale(context.req.header("accept-language"), locale);
    return toRefusalResponse(refusal ?? internal, accepted, findDialect(path).dialect, id);
  });
  return app;
}

function findHandle(route: Route, method: string): Handle | undefined {
  const served = servedMethods.find((each) => each === method);
  return served && route[served];
}

function listMethods({ isStream, ...route }: Route): string[] {
  const methods = Object.keys(route);
  if (route.GET !== undefined && !isStream) methods.splice(methods.indexOf("GET") + 1, 0, "HEAD");
  return [...methods, "OPTIONS"];
}

/** Returns a request for the same in one piece: nobody would read a stream. */
function toPlainRead({ url, headers, signal }: Request): Request {
  const asked = new Headers(headers);
  asked.delete("accept");
  return new Request(url, { headers: asked, signal });
}

function createMethodRefusal(method: string, methods: readonly string[]): HttpRefusal {
  const allowed = methods.filter((each) => each !== "OPTIONS").join(", ");
  const shown = showValue(method);
  return {
    status: 405,
    text: { zh: `不支持方法 ${shown}（允许：${allowed}）`, en: `method ${shown} is not allowed (allowed: ${allowed})` },
    headers: { allow: methods.join(", ") },
  };
}

/** Names what there is: below `/v1` the paths there, because its clients know no others. */
function createPathRefusal(path: string, paths: readonly string[]): HttpRefusal {
  const shown = showValue(path);
  const isOfModels = (each: string): boolean => /^\/v1(?:\/|$)/.test(each);
  const allowed = paths.filter((each) => !isOfModels(path) || isOfModels(each)).join(", ");
  const meant = paths.find((each) => each === `/v1${path}`);
  return {
    status: 404,
    text: { zh: `路径 ${shown} 不存在（允许：${allowed}）`, en: `unknown path ${shown} (allowed: ${allowed})` },
    hint:
      meant === undefined
        ? undefined
        : {
            zh: `是否指 ${meant}？客户端的 base URL 应以 /v1 结尾。`,
            en: `Is ${meant} meant? The client's base URL ends with /v1.`,
          },
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
  "x-api-key",
];

/** Matches the parameters that a tool also wants in headers, and the headers with which OpenAI's client describes itself. */
const parameter = /^(?:mcp-param|x-stainless)-[a-z0-9-]{1,64}$/;

/** Answers `OPTIONS`, also as a preflight request. It needs no credentials and allows none. `methods` are those of the path. */
export function toPreflightResponse(request: Request, methods: readonly string[] | undefined): Response {
  const wanted = (request.headers.get("access-control-request-headers") ?? "").toLowerCase().split(/\s*,\s*/);
  const headers = {
    // A page can read that there is nothing at a path only when it may ask.
    "access-control-allow-methods": (methods ?? servedMethods).join(", "),
    "access-control-allow-headers": [...sendable, ...wanted.filter((name) => parameter.test(name)).slice(0, 32)].join(
      ", ",
    ),
    "access-control-max-age": "600",
  };
  return new Response(null, { status: 204, headers: { ...(methods && { allow: methods.join(", ") }), ...headers } });
}

/** Lists the headers that pages of the configured origins may read in addition to those that all pages may read. */
const readable = [
  "Allow",
  "ETag",
  "Location",
  "Mcp-Session-Id",
  "Request-Id",
  "Retry-After",
  "WWW-Authenticate",
  "X-Request-Id",
  "X-Should-Retry",
];

/** Lets a page of a configured origin read the answer. Never an origin that is not in the list, never with cookies. */
export function addCorsHeaders(headers: Headers, request: Request, names: AllowedNames): void {
  const origin = request.headers.get("origin");
  headers.append("vary", "Origin");
  if (origin === null || !names.isForeignOrigin(origin.toLowerCase())) {
    for (const name of [...headers.keys()]) if (name.startsWith("access-control-")) headers.delete(name);
    return;
  }
  headers.set("access-control-allow-origin", origin);
  headers.set("access-control-expose-headers", readable.join(", "));
}
