import { expect, onTestFinished, test, vi } from "vitest";
import type { ProcessNotifications, SharedRecords } from "../../../../src/core/store/shared-records.ts";
import { createPassedMessages, type MessageReceiver } from "../../../../src/server/http/mcp/passed-messages.ts";
import { createSqlSharedRecords } from "../../../../src/store/sql/records/shared-records.ts";
import { openStoreConnection } from "../../../../src/store/sqlite/connection.ts";
import { storeFile } from "../../../store/stores.ts";

type Body = Readonly<Record<string, unknown>>;

const answer = { jsonrpc: "2.0", id: "0123456789ab-0", result: { action: "accept" } };
const cancel = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } };

/** Shares the records of a database, as processes do, with notifications that may be lost. */
async function openShared() {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"], shouldAdvanceTime: true });
  onTestFinished(() => void vi.useRealTimers());
  const connection = await openStoreConnection(await storeFile(), { patienceMs: 0, onDamage() {}, onReplace() {} });
  onTestFinished(() => connection.close());
  const clock = { ms: Date.UTC(2026, 10, 27) };
  const listeners = new Set<(text: string | undefined) => void>();
  const network = { isCut: false, isStoreAway: false };
  const notifications: ProcessNotifications = {
    async publish(text) {
      if (!network.isCut) for (const listener of listeners) listener(text);
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
  function* readNow() {
    yield* [];
    return clock.ms;
  }
  const records: SharedRecords = createSqlSharedRecords(connection, readNow, notifications);
  const findRecords = async (): Promise<SharedRecords> => {
    if (network.isStoreAway) throw new Error("the store is away");
    return records;
  };

  /** Opens a process that serves the session `s`, with what is its own there. */
  function openProcess(isOwn: (body: Body) => boolean) {
    let asked = 0;
    const delivered: Body[] = [];
    const closed: string[] = [];
    const receiver: MessageReceiver = {
      has: (id) => id === "s",
      isOwn(_, body) {
        asked += 1;
        return isOwn(body);
      },
      handle: (_, body) => void delivered.push(body),
      close: (id) => void closed.push(id),
    };
    const messages = createPassedMessages(findRecords);
    onTestFinished(messages.close);
    messages.startListening(receiver);
    const untaken: Body[] = [];
    const passOn = (body: Body, sessionId = "s") => messages.passOn(sessionId, body, () => untaken.push(body));
    return {
      ...{ messages, passOn, delivered, closed, untaken },
      /** Counts how often it was asked whether a message is its own. */
      get asked() {
        return asked;
      },
    };
  }

  const missSomething = (): void => {
    for (const listener of listeners) listener(undefined);
  };
  const listen = () => vi.waitFor(() => expect(listeners.size).toBeGreaterThan(0));
  const listNames = () => records.list("mcp-message", "");
  return { openProcess, missSomething, listen, listNames, network, clock };
}

test("a message is delivered once, to the process that it is for, and is gone then", async () => {
  const { openProcess, listen, listNames, missSomething } = await openShared();
  const [sender, holder, other] = [openProcess(() => false), openProcess(() => true), openProcess(() => false)];
  await listen();
  await sender.passOn(answer);
  expect([holder.delivered, await listNames()]).toEqual([[answer], []]);
  missSomething();
  await sender.passOn(cancel, "another");
  await sender.passOn(cancel);
  await expect.poll(() => holder.delivered).toEqual([answer, cancel]);
  expect([other.delivered, sender.delivered]).toEqual([[], []]);
});

test("of two processes to which it could belong one gets it", async () => {
  const { openProcess, listen } = await openShared();
  const [sender, ...both] = [openProcess(() => false), openProcess(() => true), openProcess(() => true)];
  await listen();
  await sender.passOn(answer);
  await expect.poll(() => both.flatMap(({ delivered }) => delivered)).toEqual([answer]);
});

test("a process that has missed the notification looks when it hears again", async () => {
  const { openProcess, listen, listNames, network, missSomething } = await openShared();
  const [sender, holder] = [openProcess(() => false), openProcess(() => true)];
  await listen();
  network.isCut = true;
  const passed = sender.passOn(answer);
  await sender.messages.announceEnd("s");
  await expect.poll(listNames).toHaveLength(2);
  expect([holder.delivered, holder.closed]).toEqual([[], []]);
  network.isCut = false;
  missSomething();
  await passed;
  await expect.poll(() => [holder.delivered, holder.closed]).toEqual([[answer], ["s"]]);
});

test("a cancel waits for its request, and a look that fails is made again", async () => {
  const { openProcess, listen, network } = await openShared();
  let isOpen = false;
  const [sender, holder] = [openProcess(() => false), openProcess(() => isOpen)];
  await listen();
  await sender.passOn(cancel);
  await expect.poll(() => holder.asked).toBe(1);
  isOpen = true;
  network.isStoreAway = true;
  await vi.advanceTimersByTimeAsync(600);
  expect(holder.delivered).toEqual([]);
  network.isStoreAway = false;
  await vi.advanceTimersByTimeAsync(2_000);
  await expect.poll(() => holder.delivered).toEqual([cancel]);
  await vi.advanceTimersByTimeAsync(3_000);
  expect(sender.untaken).toEqual([]);
});

test("what no process takes in three seconds is taken back, and its sender knows", async () => {
  const { openProcess, listNames } = await openShared();
  const { passOn, untaken } = openProcess(() => false);
  await passOn(cancel);
  const passed = expect(passOn(answer)).rejects.toMatchObject({ refusal: { status: 503 } });
  await expect.poll(listNames).toHaveLength(2);
  await vi.advanceTimersByTimeAsync(3_200);
  await passed;
  await expect.poll(() => untaken).toEqual([cancel]);
  expect(await listNames()).toEqual([]);
});

test("the end of a session stays for a minute, for all that serve it", async () => {
  const { openProcess, listen, listNames, clock } = await openShared();
  const [sender, ...both] = [openProcess(() => false), openProcess(() => false), openProcess(() => false)];
  await listen();
  await sender.messages.announceEnd("s");
  for (const { closed } of both) await expect.poll(() => closed).toContain("s");
  clock.ms += 59_000;
  expect(await listNames()).toHaveLength(1);
  clock.ms += 1_000;
  expect(await listNames()).toEqual([]);
});

test("a client can leave only so much behind", async () => {
  const { openProcess, listNames } = await openShared();
  const { passOn } = openProcess(() => false);
  const long = { ...answer, result: { text: "x".repeat(1_000_000) } };
  await expect(passOn(long)).rejects.toMatchObject({ refusal: { status: 413 } });
  await passOn({ ...answer, id: 5 });
  await passOn({ ...cancel, params: { requestId: "x".repeat(501) } });
  expect(await listNames()).toEqual([]);
  vi.useRealTimers();
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  await passOn({ ...cancel, params: { requestId: 1, reason: "x".repeat(100_000), more: "x" } });
  for (let n = 1; n < 20; n++) await passOn(cancel);
  await expect(passOn(cancel)).rejects.toMatchObject({ refusal: { status: 429 } });
  await passOn(cancel, "another");
});

test("a store that is away refuses the message, so that its client knows", async () => {
  const { openProcess, network } = await openShared();
  const { passOn } = openProcess(() => false);
  network.isStoreAway = true;
  await expect(passOn(cancel)).rejects.toThrow("the store is away");
});

test("a process that ends before a cancel is taken stops the run itself", async () => {
  const { openProcess } = await openShared();
  const { messages, passOn, untaken } = openProcess(() => false);
  await passOn(cancel);
  messages.close();
  await expect.poll(() => untaken).toEqual([cancel]);
});

test("a look for all that fails after a loss is made again", async () => {
  const { openProcess, listen, network, missSomething } = await openShared();
  const [sender, holder] = [openProcess(() => false), openProcess(() => true)];
  await listen();
  network.isCut = true;
  await sender.passOn(cancel);
  network.isStoreAway = true;
  missSomething();
  await vi.advanceTimersByTimeAsync(100);
  expect(holder.delivered).toEqual([]);
  network.isStoreAway = false;
  await vi.advanceTimersByTimeAsync(500);
  await expect.poll(() => holder.delivered).toEqual([cancel]);
});

test("nothing is left waiting when the process ends", async () => {
  const { openProcess, listen } = await openShared();
  const [sender, holder] = [openProcess(() => false), openProcess(() => false)];
  await listen();
  await sender.passOn(cancel);
  await vi.waitFor(() => expect(vi.getTimerCount()).toBeGreaterThan(1));
  for (const { messages } of [sender, holder]) messages.close();
  expect(vi.getTimerCount()).toBe(0);
});
