import { ProtocolError, ProtocolErrorCode, ResourceNotFoundError } from "@modelcontextprotocol/server";
import { ignoreRejection } from "../../kit/async/ignore-rejection.ts";
import { isRecord } from "../../kit/json.ts";

/** Follows resources for one host. */
export interface ResourceSubscriptions {
  /** Follows the resources for a stream (2026-07-28), in place of those that it had; never rejects. */
  follow(stream: string | number, uris: readonly string[]): void;
  /** Follows one resource, as a request of the 2025 era asks. Rejects when that is not possible. */
  subscribe(uri: string, signal: AbortSignal): Promise<void>;
  unsubscribe(uri: string): void;
  close(): void;
}

/** Calls `onUpdated` for each change until the returned function is called; undefined when nobody tells of changes. */
export type FollowResource = (
  uri: string,
  onUpdated: (uri: string) => void,
  signal: AbortSignal,
) => Promise<(() => void) | undefined>;

/** Limits the resources that a host follows at a time. */
const most = 1000;

export function createResourceSubscriptions(
  follow: FollowResource,
  onUpdated: (uri: string) => void,
): ResourceSubscriptions {
  const closed = new AbortController();
  /** Holds what ends each subscription; those of requests have no stream. */
  const stops = new Map<string, () => void>();

  async function begin(key: string, uri: string, signal: AbortSignal): Promise<void> {
    if (stops.has(key)) return;
    if (stops.size >= most) throw tooManyError();
    const ignoreEnd = (): void => {};
    stops.set(key, ignoreEnd);
    try {
      const stop = await follow(uri, onUpdated, signal);
      if (stop === undefined) throw new ResourceNotFoundError(uri.slice(0, 1000));
      // It may have been ended, and begun anew, while the server was asked.
      if (stops.get(key) === ignoreEnd && !closed.signal.aborted) stops.set(key, stop);
      else stop();
    } catch (thrown) {
      if (stops.get(key) === ignoreEnd) stops.delete(key);
      throw thrown;
    }
  }

  function end(key: string): void {
    stops.get(key)?.();
    stops.delete(key);
  }

  return {
    follow(stream, uris) {
      const prefix = JSON.stringify([stream]);
      const wanted = new Map(uris.map((uri) => [prefix + uri, uri]));
      for (const key of stops.keys()) if (key.startsWith(prefix) && !wanted.has(key)) end(key);
      for (const [key, uri] of wanted)
        void ignoreRejection(begin(key, uri, closed.signal), "a stream has no answer for a single resource");
    },
    subscribe: (uri, signal) => begin(`${JSON.stringify([])}${uri}`, uri, signal),
    unsubscribe: (uri) => end(`${JSON.stringify([])}${uri}`),
    close() {
      closed.abort();
      for (const key of [...stops.keys()]) end(key);
    },
  };
}

/** Reads which resources a `subscriptions/listen` request (2026-07-28) asks about. */
export function readSubscribedUris(params: unknown): string[] {
  const filter = isRecord(params) ? params.notifications : undefined;
  const uris = isRecord(filter) ? filter.resourceSubscriptions : undefined;
  return Array.isArray(uris) ? uris.filter((uri) => typeof uri === "string") : [];
}

function tooManyError(): ProtocolError {
  return new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    `Too many subscriptions (allowed: at most ${most} at a time)`,
  );
}
