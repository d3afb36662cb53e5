import { ignoreRejection } from "../../../../kit/async/ignore-rejection.ts";
import { isRecord, toText } from "../../../../kit/json.ts";
import type { Api } from "../api/api.ts";
import { ApiError } from "../api/api-error.ts";
import {
  type ConversationEntry,
  type RunEntry,
  readEntry,
  readRun,
  readWaiting,
  type WaitingQuestion,
} from "../api/conversation.ts";
import { listen } from "../api/event-stream.ts";
import { pauseAfter } from "../api/pause-after.ts";

/** Says what has changed on the server, in whatever tab or program. */
export interface Changes {
  /** The server cannot be reached, or can be again. A stream that ends and is open again at once is not told. */
  lost(isLost: boolean): void;
  /** Something has changed that is not said: all is read anew. */
  reload(): void;
  entry(entry: ConversationEntry): void;
  /** A conversation has been deleted, for good unless it can be restored for a while. */
  removed(id: string, isRestorable: boolean): void;
  run(run: RunEntry): void;
  queue(conversationId: string, waiting: readonly WaitingQuestion[]): void;
}

interface WatchedDocument {
  readonly visibilityState: string;
  addEventListener(type: "visibilitychange", listener: () => void): void;
}

/**
 * Follows what changes as long as the page is in sight: a browser has few connections to a server, which many tabs would use up.
 * What was missed meanwhile is read anew, because the stream begins with `reload`.
 */
export function watchChanges(document: WatchedDocument, api: Pick<Api, "changes">, changes: Changes): void {
  let leaving: AbortController | undefined;
  const change = (): void => {
    const isSeen = document.visibilityState === "visible";
    if (isSeen === (leaving !== undefined)) return;
    leaving?.abort();
    leaving = isSeen ? new AbortController() : undefined;
    if (leaving !== undefined)
      void ignoreRejection(follow(api, changes, leaving.signal), "the next change of sight begins anew");
  };
  document.addEventListener("visibilitychange", change);
  change();
}

/** Ends when the signal aborts, or where the server has no such stream. */
async function follow(api: Pick<Api, "changes">, changes: Changes, signal: AbortSignal): Promise<void> {
  for (let failures = 0; !signal.aborted; failures += 1) {
    if (failures === 2) changes.lost(true);
    if (failures > 0) await pauseAfter(failures);
    const attach = new AbortController();
    try {
      const response = await api.changes(AbortSignal.any([signal, attach.signal]));
      if (response.body === null) break;
      await listen(response, attach, (messages) => {
        if (failures > 1) changes.lost(false);
        failures = 0;
        for (const { event, data } of messages) report(event, data, changes);
      });
    } catch (thrown) {
      if (thrown instanceof ApiError && thrown.status < 500 && thrown.status !== 429) break;
    }
  }
  changes.lost(false);
}

function report(event: string, data: string, changes: Changes): void {
  const value: unknown = JSON.parse(data);
  const { conversation_id, restorable_until } = isRecord(value) ? value : {};
  const id = toText(conversation_id);
  if (event === "reload") changes.reload();
  else if (event === "conversation") changes.entry(readEntry(value));
  else if (event === "conversation-removed") changes.removed(id, typeof restorable_until === "string");
  else if (event === "run" && isRecord(value)) changes.run(readRun(value));
  else if (event === "queue") changes.queue(id, readWaiting(value));
}
