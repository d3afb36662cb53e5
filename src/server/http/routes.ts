import { Hono } from "hono";
import { messageOf } from "../../core/errors.ts";
import type { Locale } from "../../core/locale.ts";
import type { Admission, Authenticate, OpenPages } from "./authenticate.ts";
import type { Connection } from "./connection.ts";
import { permit, preflight } from "./cors.ts";
import type { OwnNames } from "./own-names.ts";
import { internal, type Refusal, refuse } from "./refuse.ts";

/** What a route is given beside the request. */
export interface Route {
  methods: readonly string[];
  handle(request: Request, admission: Admission, connection: Connection): Promise<Response>;
}

export interface RoutesOptions {
  names: OwnNames;
  /** Asked on every path but those of `open`. */
  authenticate: Authenticate;
  open: OpenPages;
  /** By path. */
  routes: Readonly<Record<string, Route>>;
  locale: Locale;
  log(line: string): void;
}

/** How what is not web-standard is handed in. */
interface Bindings {
  connection: Connection;
}

export type Routes = Hono<{ Bindings: Bindings }>;

/** Answers web-standard requests whose headers have been judged. */
export function createRoutes(options: RoutesOptions): Routes {
  const { names, authenticate, open, routes, locale, log } = options;
  const app = new Hono<{ Bindings: Bindings }>();

  app.use(async (context, next) => {
    await next();
    const { headers } = context.res;
    permit(headers, context.req.raw, names);
    secure(headers);
  });
  app.options("*", (context) => preflight(context.req.raw));
  for (const [path, page] of Object.entries(open))
    app.all(path, (context) => {
      const { method } = context.req;
      return method === "GET" || method === "HEAD" ? page(context.req.raw) : refuse(wrongMethod(["GET"]), locale);
    });
  for (const [path, { methods, handle }] of Object.entries(routes))
    app.all(path, async ({ req: { raw: request }, env }) => {
      const admission = await authenticate(request);
      if (admission instanceof Response) return admission;
      if (!methods.includes(request.method)) return refuse(wrongMethod(methods), locale);
      return handle(request, admission, env.connection);
    });
  app.notFound(async ({ req: { raw: request } }) => {
    const admission = await authenticate(request);
    return admission instanceof Response ? admission : refuse(notFound, locale);
  });
  app.onError((thrown) => {
    log(messageOf(thrown));
    return refuse(internal, locale);
  });
  return app;
}

/** What is said belongs to who asked, and is what it says it is. */
function secure(headers: Headers): void {
  headers.set("x-content-type-options", "nosniff");
  headers.set(
    "cache-control",
    headers.get("cache-control")?.includes("no-transform") ? "no-store, no-transform" : "no-store",
  );
  headers.set("referrer-policy", "no-referrer");
  if (!headers.has("content-security-policy"))
    headers.set("content-security-policy", "default-src 'none'; frame-ancestors 'none'");
}

function wrongMethod(methods: readonly string[]): Refusal {
  const allowed = methods.join(", ");
  return {
    status: 405,
    text: { zh: `不支持此方法（允许：${allowed}）`, en: `this method is not allowed (allowed: ${allowed})` },
    headers: { allow: allowed },
  };
}

const notFound: Refusal = {
  status: 404,
  text: { zh: "没有此路径", en: "there is nothing at this path" },
};
