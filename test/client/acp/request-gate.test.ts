import { expect, test } from "vitest";
import { createRequestGate } from "../../../src/client/acp/request-gate.ts";

function openGate() {
  const handedOn: unknown[] = [];
  let refused = 0;
  const gate = createRequestGate({
    send: (message) => void handedOn.push("id" in message && message.id),
    onTooMuch() {
      refused += 1;
    },
  });
  const take = (id: number, method: string, size = 100) => gate.take({ jsonrpc: "2.0", id, method, params: {} }, size);
  return { gate, take, handedOn, refused: () => refused };
}

test("requests with large answers wait until earlier answers are written, and the others pass them", () => {
  const { gate, take, handedOn, refused } = openGate();
  for (let id = 1; id <= 6; id++) take(id, id % 2 ? "fs/read_text_file" : "terminal/output");
  take(7, "session/request_permission");
  expect(handedOn).toEqual([1, 2, 3, 4, 7]);
  gate.settle(7);
  gate.settle(2);
  gate.settle(2);
  expect(handedOn).toEqual([1, 2, 3, 4, 7, 5]);
  gate.settle(1);
  expect(handedOn).toEqual([1, 2, 3, 4, 7, 5, 6]);
  expect(refused()).toBe(0);
});

test("an agent has too many requests under way by their number, their length, or one id for two", () => {
  const many = openGate();
  for (let id = 1; id <= 1000; id++) many.take(id, "session/request_permission");
  many.gate.settle(1);
  many.take(1001, "session/request_permission");
  expect(many.refused()).toBe(0);
  many.take(1002, "session/request_permission");
  expect([many.refused(), many.handedOn.length]).toEqual([1, 1001]);
  const long = openGate();
  for (const id of [1, 2]) long.take(id, "fs/write_text_file", 9_000_000);
  long.take(3, "fs/write_text_file", 9_000_000);
  expect([long.refused(), long.handedOn]).toEqual([1, [1, 2]]);
  long.take(2, "terminal/kill");
  expect([long.refused(), long.handedOn]).toEqual([2, [1, 2]]);
});
