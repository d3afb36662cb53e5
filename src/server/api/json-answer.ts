import { toSafeJson } from "../../kit/text/sanitize.ts";

/** JSON in which nothing is raw that a terminal would take for a command. */
export function toJsonResponse(value: object, status = 200, headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(toSafeJson(value), { status, headers: { "content-type": "application/json", ...headers } });
}

/** Where a run is read, followed and cancelled. */
export function toRunLocation(runId: string): { location: string } {
  return { location: `/agent/runs/${encodeURIComponent(runId)}` };
}
