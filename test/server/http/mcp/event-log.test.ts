import { expect, test } from "vitest";
import { createEventLog, type EventLimits, type EventLog } from "../../../../src/server/http/mcp/event-log.ts";

type Message = Parameters<EventLog["storeEvent"]>[1];

const wide: EventLimits = { ofSession: 10_000, ofAll: 10_000 };

/** The message that a stream of a client begins with which may come back; the transport sends it without any content. */
const first = JSON.parse("{}") as Message;

function step(text: string): Message {
  return { jsonrpc: "2.0", method: "notifications/message", params: { text } };
}

async function open(log: EventLog, requestId: number): Promise<string> {
  const id = await log.storeEvent(`stream-${requestId}`, first);
  expect(log.assign(requestId)).toBe(true);
  return id;
}

async function replay(log: EventLog, eventId: string): Promise<unknown[]> {
  const sent: unknown[] = [];
  await log.replayEventsAfter(eventId, { send: async (_, message) => void sent.push(message) });
  return sent;
}

test("what was sent on a stream after an event is sent again, in order, and nothing of another stream", async () => {
  const log = createEventLog({ limits: wide, used: 0 });
  const [start] = [await open(log, 1), await open(log, 2)];
  const one = await log.storeEvent("stream-1", step("1"));
  await log.storeEvent("stream-2", step("other"));
  await log.storeEvent("stream-1", step("2"));
  expect(await replay(log, start)).toEqual([step("1"), step("2")]);
  expect(await replay(log, one)).toEqual([step("2")]);
  expect([log.findRequest(one), await log.getStreamIdForEventId?.(one)]).toEqual([1, "stream-1"]);
  expect(log.isAnswered(1)).toBe(false);
  await log.storeEvent("stream-1", { jsonrpc: "2.0", id: 1, result: {} });
  expect([log.isAnswered(1), log.isAnswered(2)]).toEqual([true, false]);
});

test("a stream without a first event carries no ids, and neither does the standalone one before anybody listens", async () => {
  const log = createEventLog({ limits: wide, used: 0 });
  expect([await log.storeEvent("old", step("1")), log.assign(1)]).toEqual(["", false]);
  expect(await log.storeEvent("_GET_stream", step("1"))).toBe("");
  log.keepStandalone();
  const id = await log.storeEvent("_GET_stream", step("2"));
  expect([id, log.canReplay(id), log.findRequest(id)]).toEqual(["1-1", true, undefined]);
});

test("the oldest events are dropped first, and what came after a dropped one cannot be had", async () => {
  const size = JSON.stringify(step("1")).length;
  const budget = { limits: { ofSession: 2 * size, ofAll: 3 * size }, used: 0 };
  const log = createEventLog(budget);
  const start = await open(log, 1);
  const ids = [];
  for (const text of ["1", "2", "3"]) ids.push(await log.storeEvent("stream-1", step(text)));
  expect([start, ...ids].map(log.canReplay)).toEqual([false, true, true, true]);
  expect(budget.used).toBe(2 * size);
  // Another session takes of its own where all sessions together have too much.
  const other = createEventLog(budget);
  await open(other, 1);
  for (const text of ["1", "2"]) await other.storeEvent("stream-1", step(text));
  expect(budget.used).toBe(3 * size);
  log.forget(1);
  expect(budget.used).toBe(size);
  other.close();
  expect(budget.used).toBe(0);
});

test.each(["1-99", "9-1", "", "x", "1-", "1-1-1", "__proto__"])("%j is no event", async (id) => {
  const log = createEventLog({ limits: wide, used: 0 });
  await open(log, 1);
  expect([log.canReplay(id), log.findRequest(id)]).toEqual([false, undefined]);
  await expect(replay(log, id)).rejects.toThrow("No event");
});
