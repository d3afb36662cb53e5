import type { Client } from "@modelcontextprotocol/client";
import { ignoreRejection } from "../../kit/async/ignore-rejection.ts";
import { followSignal, waitAbortable } from "../../kit/async/timeout.ts";
import { looseResult } from "../lists/listing.ts";
import { keepListening } from "./announcements.ts";

/** Asks one connection to tell of changes of single resources. */
export interface ResourceUpdates {
  /** Settles when the server has agreed. Rejects with the package's errors, or with the signal's reason. */
  subscribe(uri: string, signal: AbortSignal): Promise<void>;
  /** Never rejects. */
  unsubscribe(uri: string): Promise<void>;
}

/** Limits how long a server may take to end a subscription, in milliseconds. */
const unsubscribeMs = 5000;

/** Calls `onUpdated` for each change that the server tells of, until the signal aborts. */
export function watchResources(client: Client, onUpdated: (uri: string) => void, ended: AbortSignal): ResourceUpdates {
  client.setNotificationHandler("notifications/resources/updated", ({ params }) => onUpdated(params.uri));
  return client.getProtocolEra() === "modern" ? createListening(client, onUpdated, ended) : createRequests(client);
}

/** Subscribes as servers of the 2025 era have it: with a request for each resource. */
function createRequests(client: Client): ResourceUpdates {
  return {
    async subscribe(uri, signal) {
      await client.request({ method: "resources/subscribe", params: { uri } }, looseResult, { signal });
    },
    async unsubscribe(uri) {
      const request = { method: "resources/unsubscribe", params: { uri } };
      const options = { timeout: unsubscribeMs };
      await ignoreRejection(client.request(request, looseResult, options), "nobody hears of the resource any more");
    },
  };
}

/** Subscribes as servers of 2026-07-28 have it: with a stream for all resources, and another one where these have changed. */
function createListening(client: Client, onUpdated: (uri: string) => void, ended: AbortSignal): ResourceUpdates {
  const uris = new Set<string>();
  let stop: AbortController | undefined;

  /** Ends the old stream only when the new one is there, so that no change is missed in between. */
  async function listen(signal?: AbortSignal): Promise<void> {
    const before = stop;
    const own = uris.size > 0 ? new AbortController() : undefined;
    stop = own;
    try {
      if (own) await openStream(own, signal);
    } finally {
      before?.abort();
    }
  }

  async function openStream(own: AbortController, signal: AbortSignal | undefined): Promise<void> {
    const unfollow = followSignal(own, ended);
    own.signal.addEventListener("abort", unfollow, { once: true });
    const opened = Promise.withResolvers<void>();
    const listening = keepListening({
      client,
      filter: { resourceSubscriptions: [...uris] },
      signal: own.signal,
      onOpen: () => opened.resolve(),
      onAgain: () => [...uris].forEach(onUpdated),
    });
    void ignoreRejection(listening, "a stream that cannot be opened is tried again").then(opened.resolve);
    await waitAbortable(opened.promise, signal);
  }

  return {
    async subscribe(uri, signal) {
      if (uris.has(uri)) return;
      uris.add(uri);
      try {
        await listen(signal);
      } catch (thrown) {
        // Whoever gave up hears of no change: the next stream is without this resource.
        uris.delete(uri);
        void ignoreRejection(listen(), "the reason of the subscription's end is thrown");
        throw thrown;
      }
    },
    async unsubscribe(uri) {
      if (uris.delete(uri)) await listen();
    },
  };
}
