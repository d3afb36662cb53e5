import type { ServerResponse } from "node:http";

/** How much may wait for somebody who reads slowly, in bytes; one message more may come on top, however long it is. */
const mostWaiting = 1_048_576;

/** Milliseconds within which what waits must have been taken. */
const stalledMs = 60_000;

/**
 * Sends a response whose body comes bit by bit, each at once. The source is never held back, as it would keep everything
 * itself: a reader for whom more waits than the limits say is cut off.
 */
export async function sendStream(response: Response, outgoing: ServerResponse): Promise<void> {
  const reader = response.body?.getReader();
  let stalled: NodeJS.Timeout | undefined;
  outgoing.once("close", () => {
    clearTimeout(stalled);
    reader?.cancel().catch(() => {});
  });
  outgoing.on("drain", () => {
    clearTimeout(stalled);
    stalled = undefined;
  });
  if (outgoing.destroyed) return void (await reader?.cancel());
  outgoing.writeHead(response.status, headersOf(response));
  outgoing.flushHeaders();
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true, value: undefined };
    if (outgoing.destroyed) return;
    if (done) return void outgoing.end();
    if (outgoing.writableLength > mostWaiting) return void outgoing.destroy();
    if (!outgoing.write(value)) stalled ??= setTimeout(() => outgoing.destroy(), stalledMs);
  }
}

/** Whether the connection stays is not for the SDK to say. */
function headersOf({ headers }: Response): Record<string, string> {
  const { connection: _, ...rest } = Object.fromEntries(headers);
  return rest;
}
