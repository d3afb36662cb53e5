import { toSafeJson } from "../../kit/text/sanitize.ts";

/** Renders JSON in which control characters are escaped, so that a terminal cannot read them as commands. */
export function toJsonResponse(value: object, status = 200, headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(toSafeJson(value), { status, headers: { "content-type": "application/json", ...headers } });
}

/** Returns the address at which a run is read, followed and cancelled, and its id as that of the request. */
export function toRunLocation(runId: string): { location: string; "x-request-id": string } {
  return { location: `/agent/runs/${encodeURIComponent(runId)}`, "x-request-id": runId };
}
