import { createServer, type ServerResponse } from "node:http";
import { expect, onTestFinished, test, vi } from "vitest";
import { createApi } from "../../../src/server/web/chat/api/api.ts";
import { createSender } from "../../../src/server/web/chat/api/sender.ts";
import { type Changes, watchChanges } from "../../../src/server/web/chat/watch/watch-changes.ts";

test("a stream of changes that has fallen silent, as after a sleep of the machine, is opened again", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const { next, told, isTold } = await watchServer();
  const first = await next();
  await told("reload");
  await vi.advanceTimersByTimeAsync(30_000);
  first?.write(
    toEvent("conversation-removed", { conversation_id: "conv-1", restorable_until: "2030-01-01T00:00:00.000Z" }),
  );
  await told("removed conv-1");
  // What has come meanwhile begins the limit anew.
  await vi.advanceTimersByTimeAsync(30_000);
  first?.write(toEvent("conversation-removed", { conversation_id: "conv-2", restorable_until: null }));
  await told("removed conv-2 for good");
  const left = new Promise((resolve) => first?.once("close", resolve));
  await vi.advanceTimersByTimeAsync(35_000);
  await left;
  // It waits for a moment before it asks again.
  while (!isTold()) await vi.advanceTimersByTimeAsync(100);
  await told("reload");
});

test("a stream of changes that the server does not begin, as one that hangs, is asked for again", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const { next, told, isTold } = await watchServer({ mute: 1 });
  const first = await next();
  const left = new Promise((resolve) => first?.once("close", resolve));
  await vi.advanceTimersByTimeAsync(35_000);
  await left;
  while (!isTold()) await vi.advanceTimersByTimeAsync(100);
  await told("reload");
  // One that has begun has no limit but its silence.
  const second = await next();
  await vi.advanceTimersByTimeAsync(30_000);
  for (const id of ["conv-1", "conv-2"]) {
    second?.write(toEvent("conversation-removed", { conversation_id: id, restorable_until: null }));
    await told(`removed ${id} for good`);
    await vi.advanceTimersByTimeAsync(30_000);
  }
});

/** Follows a server that is handed out connection by connection. The first ones are not answered. */
async function watchServer({ mute = 0 } = {}) {
  const opened: ServerResponse[] = [];
  const lines: string[] = [];
  let asked = 0;
  const server = createServer((_, response) => {
    asked += 1;
    if (asked > mute) response.writeHead(200, { "content-type": "text/event-stream" }).write(toEvent("reload", {}));
    opened.push(response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const document = Object.assign(new EventTarget(), { visibilityState: "visible" });
  onTestFinished(() => {
    document.visibilityState = "hidden";
    document.dispatchEvent(new Event("visibilitychange"));
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  const send = createSender({
    origin: `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`,
    token: () => undefined,
    locale: () => "en",
    signIn: () => Promise.reject(new Error("no sign-in")),
  });
  const changes: Changes = {
    reload: () => lines.push("reload"),
    removed: (id, isRestorable) => lines.push(`removed ${id}${isRestorable ? "" : " for good"}`),
    entry() {},
    run() {},
    queue() {},
    lost() {},
  };
  watchChanges(document, createApi(send), changes);
  return {
    next: () => takeFirst(opened),
    isTold: () => lines.length > 0,
    async told(line: string) {
      expect(await takeFirst(lines)).toBe(line);
    },
  };
}

async function takeFirst<T>(list: T[]): Promise<T | undefined> {
  await waitUntil(() => list.length > 0);
  return list.shift();
}

/** Waits without a clock, for the one of the page stands still. */
async function waitUntil(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise(setImmediate);
}

function toEvent(event: string, data: object): string {
  return `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}
