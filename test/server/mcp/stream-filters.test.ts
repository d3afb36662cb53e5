import type { JSONRPCMessage } from "@modelcontextprotocol/server";
import { expect, test } from "vitest";
import { createStreamFilters } from "../../../src/server/mcp/stream-filters.ts";

test("the resources of a stream are followed from its request to its end, also where the server comes later", () => {
  const followed: unknown[] = [];
  const received: unknown[] = [];
  const transport: { onmessage?: (message: JSONRPCMessage) => void } = {
    onmessage: (message) => received.push(message),
  };
  const filters = createStreamFilters();
  filters.follow(transport);
  const listen = (id: number, notifications: object): JSONRPCMessage => ({
    ...{ jsonrpc: "2.0", id, method: "subscriptions/listen" },
    params: { notifications },
  });
  transport.onmessage?.(listen(1, { resourceSubscriptions: ["x://1", 7] }));
  filters.attach({
    follow: (stream, uris) => void followed.push([stream, uris]),
    subscribe: async () => {},
    unsubscribe() {},
    close() {},
  });
  transport.onmessage?.(listen(2, { toolsListChanged: true }));
  transport.onmessage?.(listen(3, { resourceSubscriptions: ["x://2"] }));
  for (const requestId of [1, 2])
    transport.onmessage?.({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId } });
  expect(followed).toEqual([
    [1, ["x://1"]],
    [3, ["x://2"]],
    [1, []],
  ]);
  expect(received).toHaveLength(5);
});
