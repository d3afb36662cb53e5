import { PassThrough } from "node:stream";
import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import { expect, test } from "vitest";
import { followRequests, refuseOpenRequests } from "../../../src/server/mcp/serve-stdio.ts";

test("a request that nobody has answered by the end gets an error, once, and no other request does", async () => {
  const [stdin, stdout] = [new PassThrough(), new PassThrough()];
  const transport = new StdioServerTransport(stdin, stdout);
  await transport.start();
  const heard: unknown[] = [];
  transport.onmessage = (message) => void heard.push(message);
  const requests = followRequests(transport);
  for (const message of [
    { id: 1, method: "tools/call" },
    { id: "two", method: "tools/list" },
    { id: 3, method: "tools/call" },
    { method: "notifications/cancelled", params: { requestId: 3 } },
  ])
    stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  await expect.poll(() => heard.length).toBe(4);
  await transport.send({ jsonrpc: "2.0", id: "two", result: {} });
  expect(requests.list()).toEqual([1]);

  refuseOpenRequests(requests, transport, "en");
  refuseOpenRequests(requests, transport, "en");
  const written = String(stdout.read())
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(written).toEqual([
    { jsonrpc: "2.0", id: "two", result: {} },
    { jsonrpc: "2.0", id: 1, error: { code: -32000, message: "Duet is ending; the request was cancelled." } },
  ]);
});
