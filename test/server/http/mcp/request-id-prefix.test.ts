import type { JSONRPCMessage } from "@modelcontextprotocol/server";
import { expect, test } from "vitest";
import { addIdPrefix, isPrefixedResponse } from "../../../../src/server/http/mcp/request-id-prefix.ts";

function openTransport() {
  const sent: JSONRPCMessage[] = [];
  const transport = { send: async (message: JSONRPCMessage) => void sent.push(message) };
  return { sent, transport, restore: addIdPrefix(transport) };
}

test("a process knows the response to its own request from one to another process, which counts from 0 as well", async () => {
  const [one, other] = [openTransport(), openTransport()];
  await one.transport.send({ jsonrpc: "2.0", id: 0, method: "elicitation/create" });
  const response = { jsonrpc: "2.0", id: Object(one.sent[0]).id, result: { action: "accept" } };
  expect(isPrefixedResponse(response)).toBe(true);
  expect(one.restore(response)).toEqual({ ...response, id: 0 });
  expect(other.restore(response)).toBeUndefined();
});

test.each([0, "0", "000000000000", "x00000000000-1", "000000000000-1-", "0000000000000-1"])(
  "%j is the ID of no request of ours",
  (id) => {
    const { restore } = openTransport();
    expect([isPrefixedResponse({ id }), restore({ id })]).toEqual([false, undefined]);
  },
);

test("the cancel of a request names it as the client knows it, and answers keep their IDs", async () => {
  const { sent, transport, restore } = openTransport();
  await transport.send({ jsonrpc: "2.0", id: 3, method: "roots/list" });
  await transport.send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 3, reason: "late" } });
  await transport.send({ jsonrpc: "2.0", method: "notifications/progress", params: { progressToken: 3, progress: 1 } });
  await transport.send({ jsonrpc: "2.0", id: 3, result: {} });
  const { id } = Object(sent[0]);
  expect(restore({ id })).toEqual({ id: 3 });
  expect(sent.slice(1)).toMatchObject([{ params: { requestId: id } }, { params: { progressToken: 3 } }, { id: 3 }]);
});
