import type { ServerContext } from "@modelcontextprotocol/server";
import { sleep, waitAbortable } from "../../kit/async/timeout.ts";
import type { Host } from "./host.ts";
import type { HostConnection } from "./host-connection.ts";
import type { ProgressSender } from "./progress-pace.ts";

/** How long a host may take to answer a ping, in milliseconds. One that does not is not asked again. */
const pingMs = 2000;

/** A pause that keeps two messages in two reads of a host that is not held up, in milliseconds. */
const pauseMs = 10;

/** So many pauses in a row have to last as long as they should, and so many are made at most. */
const punctualPauses = 2;
const mostPauses = 12;

/** Connections whose host did not answer a ping. */
const silent = new WeakSet<HostConnection>();

/**
 * Sends progress to whoever made the request; undefined where that has not asked for any. Official clients drop a notification that
 * they read together with its result over stdio: the result has to wait until it is sure, or at least likely, that all were read.
 */
export function createProgressSender(
  { mcpReq: { _meta, notify, signal } }: ServerContext,
  connection: HostConnection,
  { isModern }: Host,
): ProgressSender | undefined {
  const progressToken = _meta?.progressToken;
  if (progressToken === undefined) return undefined;
  let last: Promise<void> = Promise.resolve();
  return {
    send(progress, message) {
      // The request may be over by the time this is sent; then nobody waits for it.
      last = notify({ method: "notifications/progress", params: { progressToken, progress, message } }).catch(() => {});
    },
    async confirm() {
      await last;
      const { inputEnded } = connection;
      if (inputEnded === undefined) return sleep(pauseMs);
      // Hosts of the 2026 era answer no request of ours, so nothing tells that they have read.
      if (isModern || silent.has(connection) || inputEnded.aborted) return pauseUntilPunctual();
      const { server } = connection.server;
      const pong = server.request({ method: "ping" }, { timeout: pingMs, signal });
      // A refusal is an answer too: the host has read everything up to the ping.
      await waitAbortable(pong, inputEnded).catch((thrown) => {
        if (isTimeout(thrown)) silent.add(connection);
      });
      // A host that has closed its output may still read, but its answer to a ping can no longer come.
      if (inputEnded.aborted) await pauseUntilPunctual();
    },
  };
}

/** On a machine where pauses take longer than they should, the host is likely to be held up as well. */
async function pauseUntilPunctual(): Promise<void> {
  let punctual = 0;
  for (let left = mostPauses; left > 0 && punctual < punctualPauses; left--) {
    const began = performance.now();
    await sleep(pauseMs);
    punctual = performance.now() - began < 1.5 * pauseMs ? punctual + 1 : 0;
  }
}

function isTimeout(thrown: unknown): boolean {
  return thrown instanceof Error && "code" in thrown && thrown.code === "REQUEST_TIMEOUT";
}
