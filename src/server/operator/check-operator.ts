import type { Config } from "../../config/config.ts";
import { isLoopback } from "../http/address.ts";
import type { HttpRefusal } from "../http/response/dialects.ts";
import { HttpRefusalError } from "../http/response/refusal.ts";
import type { Handle, Route, RouteCall } from "../http/routes.ts";

/** Names the headers that a proxy adds. A request with one may come from anywhere, although the proxy stands on this machine. */
const proxyHeaders = [
  ...["forwarded", "via", "x-real-ip", "x-client-ip", "cf-connecting-ip", "true-client-ip"],
  ...["for", "host", "proto", "port", "server"].map((name) => `x-forwarded-${name}`),
];

export type OperatorAccess = Pick<
  Config["serve"]["http"],
  "operator" | "publicUrl" | "allowedHosts" | "allowedOrigins"
>;

/**
 * Lets only the operator in, and only on this machine: the connection, the name by which the server is called and the page that calls are
 * all local, and nothing has passed the request on. A proxy may leave no trace of that (nginx adds no header by itself), so that the
 * settings have to open the view first.
 */
function withOperatorAlone(access: OperatorAccess, handle: Handle): Handle {
  const closed = findClosed(access);
  return async (call) => {
    if (closed !== undefined) throw new HttpRefusalError(closed);
    if (!isLocalOperator(call)) throw new HttpRefusalError(onlyHere);
    return handle(call);
  };
}

/** Lets only the operator use any method of these routes, so that none can be forgotten. */
export function guardRoutes(
  access: OperatorAccess,
  routes: Readonly<Record<string, Route>>,
): Readonly<Record<string, Route>> {
  const guard = ([path, route]: [string, Route]): [string, Route] => [
    path,
    Object.fromEntries(
      Object.entries(route).map(([method, handle]) => [
        method,
        typeof handle === "function" ? Object.assign(withOperatorAlone(access, handle), getBodyMark(handle)) : handle,
      ]),
    ),
  ];
  return Object.fromEntries(Object.entries(routes).map(guard));
}

function getBodyMark(handle: Handle): Pick<Handle, "readsNoBody"> {
  return handle.readsNoBody ? { readsNoBody: true } : {};
}

/** Returns why nobody may see the view; undefined where it is open. */
function findClosed({ operator, publicUrl, allowedHosts, allowedOrigins }: OperatorAccess): HttpRefusal | undefined {
  if (operator === "off") return notOpened;
  const isPublic = publicUrl !== undefined || allowedHosts.length > 0 || allowedOrigins.length > 0;
  return operator === "local" && isPublic ? notBehindProxy : undefined;
}

/** Returns true where whoever asks may see the view. */
export function isOperatorViewOpen(access: OperatorAccess, call: LocalCall): boolean {
  return findClosed(access) === undefined && isLocalOperator(call);
}

type LocalCall = Pick<RouteCall, "request" | "caller"> & { connection: Pick<RouteCall["connection"], "address"> };

/** Says whether a request is the operator's own, made on the machine of the server. */
export function isLocalOperator({ request, caller, connection }: LocalCall): boolean {
  if (caller.owner !== undefined || caller.tools !== undefined) return false;
  if (!isLoopback(connection.address)) return false;
  const { headers } = request;
  if (proxyHeaders.some((name) => headers.has(name))) return false;
  const origin = headers.get("origin");
  const own = `http://${headers.get("host") ?? ""}`;
  // A page that another program on this machine serves is not the operator's.
  return isLocalName(own) && (origin === null || origin === own);
}

function isLocalName(address: string): boolean {
  const url = URL.parse(address);
  return url !== null && isLoopback(url.hostname.replace(/^\[|\]$/g, ""));
}

const onlyHere: HttpRefusal = {
  status: 403,
  error: "forbidden",
  text: {
    zh: "只有管理员在运行服务器的机器上直接访问（127.0.0.1 或 localhost，不经代理）时才提供",
    en: "only for the operator, directly on the machine of the server (127.0.0.1 or localhost, through no proxy)",
  },
};

const notOpened: HttpRefusal = {
  status: 403,
  error: "forbidden",
  text: {
    zh: '管理员视图没有打开（serve.http.operator: "off"）',
    en: 'the operator\'s view is off (serve.http.operator: "off")',
  },
  hint: {
    zh: "只有你一个人用这个端口时，用 duet serve --http 3000 --operator local 打开。",
    en: "Where nobody but you reaches this port, open it with duet serve --http 3000 --operator local.",
  },
};

const notBehindProxy: HttpRefusal = {
  status: 403,
  error: "forbidden",
  text: {
    zh: '设置了 serve.http.publicUrl、allowedHosts 或 allowedOrigins 的服务器不提供管理员视图（serve.http.operator: "local"）',
    en: 'a server with serve.http.publicUrl, allowedHosts or allowedOrigins shows no operator\'s view (serve.http.operator: "local")',
  },
  hint: {
    zh: '确认代理为每个请求加上 X-Forwarded-For 后，才可设为 "proxied"。',
    en: 'Set it to "proxied" only where the proxy adds X-Forwarded-For to every request.',
  },
};
