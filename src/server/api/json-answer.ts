import { printableJson } from "../../kit/text/sanitize.ts";

/** JSON in which nothing is raw that a terminal would take for a command. */
export function jsonAnswer(value: object, status = 200, headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(printableJson(value), { status, headers: { "content-type": "application/json", ...headers } });
}

/** Where a run is read, followed and cancelled. */
export function placeOf(runId: string): { location: string } {
  return { location: `/agent/runs/${encodeURIComponent(runId)}` };
}
