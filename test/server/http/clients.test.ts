import { Client as ClientV2, StreamableHTTPClientTransport as HttpV2 } from "@modelcontextprotocol/client";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as HttpV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import type { List } from "../../../src/app/tools/gateway.ts";
import { type ServedFace, startHttpFace } from "../../fakes/http-interface.ts";

const listeners = new Set<(list: List) => void>();

let face: ServedFace;
beforeAll(async () => {
  face = await startHttpFace({
    token: "the-token",
    onChange(_caller, listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  });
});
afterAll(() => face.close());

const requestInit = { headers: { authorization: "Bearer the-token" } };

interface Peer {
  call(
    name: string,
    args: Record<string, unknown>,
    options?: { onprogress?: (it: { progress: number }) => void; signal?: AbortSignal },
  ): Promise<unknown>;
  close(): Promise<void>;
}

async function v1(): Promise<Peer> {
  const client = new ClientV1({ name: "test", version: "1" });
  await client.connect(new HttpV1(new URL(face.url), { requestInit }) as never);
  return {
    call: (name, args, options) => client.callTool({ name, arguments: args }, undefined, options),
    close: () => client.close(),
  };
}

const v2 = (mode: "legacy" | "auto") => async (): Promise<Peer> => {
  const client = new ClientV2({ name: "test", version: "2" }, { versionNegotiation: { mode } });
  await client.connect(new HttpV2(new URL(face.url), { requestInit }));
  return {
    call: (name, args, options) => client.callTool({ name, arguments: args }, options),
    close: () => client.close(),
  };
};

describe.each([
  ["SDK v1", v1, { mayComeBack: true }],
  ["SDK v2 of 2025", v2("legacy"), { mayComeBack: true }],
  ["SDK v2 of 2026", v2("auto"), { mayComeBack: false }],
])("%s", (_, open, { mayComeBack }) => {
  test("calls a tool, hears of its progress and gets its result", async () => {
    const peer = await open();
    onTestFinished(() => peer.close());
    const seen: number[] = [];
    const result = await peer.call("echo", { text: "hello" }, { onprogress: ({ progress }) => seen.push(progress) });
    expect(result).toMatchObject({ structuredContent: { text: "hello" } });
    expect(seen).toEqual([1, 2, 3]);
  });

  test("cancels a call, whose signal aborts", async () => {
    const peer = await open();
    onTestFinished(() => peer.close());
    const stop = new AbortController();
    const ended = peer.call("wait", {}, { signal: stop.signal }).catch(() => "cancelled");
    await face.begun();
    stop.abort();
    await face.aborted();
    expect(await ended).toBe("cancelled");
  });

  test("goes away in the middle of a call, whose signal aborts", async () => {
    const peer = await open();
    const ended = peer.call("wait", {}).catch(() => "gone");
    await face.begun();
    if (mayComeBack) vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    await peer.close();
    // The server learns of it in its own time; from then on it waits half a minute for a client that may come back.
    if (mayComeBack) await expect.poll(() => vi.advanceTimersByTime(30_000) && face.waiting).toBe(0);
    await face.aborted();
    expect(await ended).toBe("gone");
  });
});

test("a client of 2026 that subscribes hears of a changed list, and leaves no listener behind", async () => {
  const { promise: changed, resolve } = Promise.withResolvers<void>();
  const client = new ClientV2(
    { name: "test", version: "2" },
    {
      versionNegotiation: { mode: "auto" },
      listChanged: { tools: { autoRefresh: false, onChanged: () => resolve() } },
    },
  );
  await client.connect(new HttpV2(new URL(face.url), { requestInit }));
  await expect.poll(() => listeners.size).toBe(1);
  for (const tell of listeners) tell("tools");
  await changed;
  await client.close();
  await expect.poll(() => listeners.size).toBe(0);
});
