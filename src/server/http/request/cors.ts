import type { AllowedNames } from "./allowed-names.ts";

/** What pages of the configured origins may send beside what all pages may. */
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

/** Names of parameters that a tool wants in headers as well, and what OpenAI's client says of itself. */
const parameter = /^(?:mcp-param|x-stainless)-[a-z0-9-]{1,64}$/;

/** The answer to a browser that asks before it sends; no credentials are needed for it, and none are allowed by it. */
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
