import { isLoopback } from "../http/address.ts";
import type { HttpRefusal } from "../http/response/dialects.ts";
import { HttpRefusalError } from "../http/response/refusal.ts";
import type { Handle, RouteCall } from "../http/routes.ts";

/** Names the headers that a proxy adds. A request with one may come from anywhere, although the proxy stands on this machine. */
const proxyHeaders = ["forwarded", "via", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "x-real-ip"];

/**
 * Lets only the operator in, and only on this machine: the connection, the name by which the server is called and the page that calls are
 * all local, and nothing has passed the request on.
 */
export function withOperatorAlone(handle: Handle): Handle {
  return async (call) => {
    if (!isLocalOperator(call)) throw new HttpRefusalError(onlyHere);
    return handle(call);
  };
}

type LocalCall = Pick<RouteCall, "request" | "caller"> & { connection: Pick<RouteCall["connection"], "address"> };

/** Says whether a request is the operator's own, made on the machine of the server. */
export function isLocalOperator({ request, caller, connection }: LocalCall): boolean {
  if (caller.owner !== undefined || caller.tools !== undefined) return false;
  if (!isLoopback(connection.address)) return false;
  const { headers } = request;
  if (proxyHeaders.some((name) => headers.has(name))) return false;
  const origin = headers.get("origin");
  return isLocalName(`http://${headers.get("host") ?? ""}`) && (origin === null || isLocalName(origin));
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
