import type { Caller } from "../../../core/caller.ts";
import { ignoreRejection } from "../../../kit/async/ignore-rejection.ts";
import type { RunHandle } from "../../../runs/live/run-handle.ts";
import { closeWhenExpired } from "../../http/mcp/mcp-exchange.ts";
import type { HttpRefusal } from "../../http/response/dialects.ts";
import { HttpRefusalError } from "../../http/response/refusal.ts";
import type { Route, RouteCall } from "../../http/routes.ts";
import type { ApiContext } from "../api-context.ts";
import { toEventFrame } from "../events/event-frames.ts";
import { isEventStreamPreferred } from "../events/event-headers.ts";
import { toRunEntry } from "../run-entry.ts";
import type { Change } from "./changes.ts";
import { findEntry } from "./find-conversation.ts";
import { toQueueJson } from "./queue-routes.ts";

/** Serves `GET /agent/events`: what changes in the caller's list, for all of its pages. */
export function createEventsRoute(api: ApiContext): Route {
  return {
    async GET(call) {
      if (!isEventStreamPreferred(call.request)) throw new HttpRefusalError(streamAlone);
      return streamChanges(api, call);
    },
    isStream: true,
  };
}

const streamAlone: HttpRefusal = {
  status: 406,
  text: {
    zh: "此路径只提供事件流（允许：Accept: text/event-stream）",
    en: "this path has an event stream alone (allowed: Accept: text/event-stream)",
  },
};

function streamChanges(api: ApiContext, call: RouteCall): Response {
  closeWhenExpired(call);
  const source = createChangeSource(api, call.caller);
  const { connection } = call;
  const body = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        connection.onClose(source.close);
        controller.enqueue(Buffer.from(`retry: 1000\n\n${toEventFrame("reload", {})}`));
      },
      async pull(controller) {
        await connection.drained();
        const text = await source.next(AbortSignal.timeout(api.times.keepAlive));
        if (text === undefined) return controller.close();
        controller.enqueue(Buffer.from(text === "" ? ": keep-alive\n\n" : text));
      },
      cancel: source.close,
    },
    { highWaterMark: 0 },
  );
  return new Response(body, {
    headers: {
      "content-type": "text/event-stream",
      "cache-control": "no-transform",
      // This asks proxies not to buffer what they pass on.
      "x-accel-buffering": "no",
    },
  });
}

interface ChangeSource {
  /** Returns what has changed as events; an empty text when the signal aborts first, and undefined at the end. */
  next(signal: AbortSignal): Promise<string | undefined>;
  close(): void;
}

/**
 * Collects what changes until its reader takes it. A reader that is slow finds each conversation and each run once, as it is then,
 * so nothing piles up.
 */
function createChangeSource(api: ApiContext, caller: Caller): ChangeSource {
  const over = new AbortController();
  const changes = new Map<string, Change>();
  const runs = new Map<string, RunHandle>();
  /** Holds the runs that are followed, with what was last told of them. */
  const followed = new Set<RunHandle>();
  let ring = Promise.withResolvers<void>();

  function add(change: Change): void {
    // What comes later stands at the end, also where it is about the same.
    const key = `${change.type === "queue" ? "queue" : "conversation"} ${change.id}`;
    changes.delete(key);
    changes.set(key, change);
    ring.resolve();
  }

  function addRun(run: RunHandle): void {
    runs.set(run.id, run);
    ring.resolve();
  }

  async function followRun(run: RunHandle): Promise<void> {
    addRun(run);
    // A run that begins a conversation learns its ID a little later.
    while (run.conversationId === "" && run.outcome === undefined && !over.signal.aborted)
      await run.waitForEvent(over.signal);
    if (run.conversationId !== "") add({ type: "conversation", id: run.conversationId });
    while (run.outcome === undefined && !over.signal.aborted) {
      addRun(run);
      await run.waitForChange(over.signal);
    }
    if (over.signal.aborted) return;
    addRun(run);
    if (run.conversationId !== "") add({ type: "conversation", id: run.conversationId });
  }

  function findNewRuns(): void {
    for (const run of api.runs.listRuns(caller)) {
      if (run.outcome !== undefined || followed.has(run)) continue;
      followed.add(run);
      const done = followRun(run).finally(() => followed.delete(run));
      void ignoreRejection(done, "nothing in it throws but a fault of the program");
    }
  }

  let isListOld = false;
  const watching = watchOtherProcesses(api, caller, () => {
    isListOld = true;
    ring.resolve();
  });
  const stops = [api.changes.follow(caller, add), api.runs.onChange(caller, findNewRuns), watching];
  findNewRuns();

  function close(): void {
    over.abort();
    for (const stop of stops) stop();
    ring.resolve();
  }
  api.runs.closing.addEventListener("abort", close, { signal: over.signal });

  async function render(): Promise<string> {
    const head = isListOld ? [toEventFrame("reload", {})] : [];
    isListOld = false;
    const frames = [...runs.values()].map((run) => toEventFrame("run", toRunEntry(api, run)));
    runs.clear();
    for (const [key, change] of [...changes]) {
      changes.delete(key);
      frames.push(await renderChange(change));
    }
    return [...head, ...frames].join("");
  }

  async function renderChange(change: Change): Promise<string> {
    const { id } = change;
    if (change.type === "queue") return toEventFrame("queue", toQueueJson(id, api.queue.list(caller, id)));
    const entry = change.type === "conversation" ? await findEntry(api, caller, id) : undefined;
    if (entry) return toEventFrame("conversation", entry);
    if (change.type === "conversation") return "";
    const until = change.until === undefined ? null : new Date(change.until).toISOString();
    return toEventFrame("conversation-removed", { conversation_id: id, restorable_until: until });
  }

  return {
    async next(signal) {
      for (;;) {
        if (over.signal.aborted) return undefined;
        if (changes.size > 0 || runs.size > 0 || isListOld) {
          // A store that fails for a moment: the page reads the list anew.
          const text = await render().catch(() => toEventFrame("reload", {}));
          if (text !== "") return text;
          continue;
        }
        if (signal.aborted) return "";
        ring = Promise.withResolvers();
        const { resolve, promise } = ring;
        signal.addEventListener("abort", () => resolve(), { once: true });
        await promise;
      }
    },
    close,
  };
}

/** Limits how many conversations are compared: those that a page shows first. */
const mostCompared = 50;

/**
 * Looks from time to time whether another process that shares the store has changed the list. Most of what one writes, such as the steps of
 * its runs, changes nothing of it. Returns a function that stops this.
 */
function watchOtherProcesses(api: ApiContext, caller: Caller, onChange: () => void): () => void {
  let version: number | undefined;
  let shown: string | undefined;
  let isLooking = false;

  async function look(): Promise<void> {
    const store = await api.duet.store(caller);
    const now = await store.readVersion?.();
    if (now === version && shown !== undefined) return;
    const isFirst = shown === undefined;
    const list = JSON.stringify(await store.list({ limit: mostCompared, offset: 0 }));
    if (!isFirst && list !== shown) onChange();
    [version, shown] = [now, list];
  }

  function lookOnce(): void {
    if (isLooking) return;
    isLooking = true;
    const done = look().finally(() => {
      isLooking = false;
    });
    void ignoreRejection(done, "the next look tells what has changed");
  }

  lookOnce();
  const timer = setInterval(lookOnce, api.times.lookAround).unref();
  return () => clearInterval(timer);
}
