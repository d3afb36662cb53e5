import { createRandomHex } from "../../../kit/random.ts";
import type { DialectRow } from "./dialects.ts";

/** Names the request under which an answer is found in the log: that of its run, or `requestId`. */
export function setIds(headers: Headers, requestId: string, { idHeader }: DialectRow): void {
  const id = headers.get("x-request-id") ?? requestId;
  headers.set("x-request-id", id);
  if (idHeader !== undefined) headers.set(idHeader, id);
}

/** The official clients wait no longer than this before they ask again, in seconds; for more, they ask much too soon. */
const longestWait = 60;

/** Says whether a client is to repeat the request by itself: only where nothing was run and it is known when to come back. */
export function setRetry({ status, headers }: Pick<Response, "status" | "headers">, { statesRetry }: DialectRow): void {
  if (status < 400 || statesRetry !== true || headers.has("x-should-retry")) return;
  const wait = headers.get("retry-after");
  const isWorthIt = (status === 429 || status === 503) && wait !== null && Number(wait) <= longestWait;
  headers.set("x-should-retry", String(isWorthIt));
}

/** Creates the id of a request that began no run; where there is a run, it is the run's. */
export function createRequestId(): string {
  return `req-${createRandomHex()}`;
}
