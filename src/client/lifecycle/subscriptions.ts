import type { ServerSettings } from "../../config/config.ts";
import { ignoreRejection } from "../../kit/async/ignore-rejection.ts";
import { createTimeLimit, createWaitLimit, timeoutError, waitAbortable } from "../../kit/async/timeout.ts";
import { DuetError } from "../../kit/errors.ts";
import type { Redact } from "../../kit/text/redact.ts";
import { toCallError } from "../server-errors.ts";
import type { ServerLifecycle } from "./server-lifecycle.ts";

/** Holds the resources of one server of whose changes somebody wants to hear, over all its connections. */
export interface Subscriptions {
  /** Settles when the server has agreed. Rejects with a `DuetError`, or with the signal's reason. */
  subscribe(uri: string, signal: AbortSignal): Promise<void>;
  /** Never rejects. */
  unsubscribe(uri: string): Promise<void>;
  /** Subscribes again on a new connection, and counts each resource as changed: nobody tells what has changed meanwhile. Never rejects. */
  resume(): Promise<void>;
}

export interface SubscriptionsOptions {
  settings: ServerSettings;
  redact: Redact;
  lifecycle: Pick<ServerLifecycle, "live" | "session">;
  onUpdated(uri: string): void;
}

export function createSubscriptions({ settings, redact, lifecycle, onUpdated }: SubscriptionsOptions): Subscriptions {
  const { timeoutMs } = settings;
  const uris = new Set<string>();

  async function request(uri: string, signal: AbortSignal): Promise<void> {
    const live = await lifecycle.live(signal);
    if (!("reply" in live)) return waitAbortable(live.session.resources.subscribe(uri, signal), signal);
    if (live.reply === "refused") throw new DuetError({ code: "server", text: live.text, retryable: true });
  }

  return {
    async subscribe(uri, outer) {
      const limit = createTimeLimit(timeoutMs, () => timeoutError("resources/subscribe", timeoutMs), outer);
      try {
        await request(uri, limit.signal);
        uris.add(uri);
      } catch (thrown) {
        outer.throwIfAborted();
        if (thrown instanceof DuetError && thrown !== limit.signal.reason) throw thrown;
        throw toCallError(thrown, { settings, redact }, { times: 1, isRepeatable: true, canTakeEffect: false });
      } finally {
        limit.clear();
      }
    },
    async unsubscribe(uri) {
      if (uris.delete(uri)) await lifecycle.session?.resources.unsubscribe(uri);
    },
    async resume() {
      const { session } = lifecycle;
      if (session === undefined) return;
      const limit = createWaitLimit(timeoutMs);
      for (const uri of uris) {
        const asked = session.resources.subscribe(uri, limit.signal);
        await ignoreRejection(waitAbortable(asked, limit.signal), "the host is told to read the resource again");
        onUpdated(uri);
      }
      limit.clear();
    },
  };
}
