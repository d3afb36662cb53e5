import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { answerUnreadable } from "../../../src/server/http/unreadable-requests.ts";
import { openSocket, rawText } from "../../fakes/http-interface.ts";

/** Serves with short limits, and tells when Node has looked at its connections and found one that takes too long. */
async function serve(keepAliveMs: number) {
  const server = createServer(
    { headersTimeout: 20, requestTimeout: 40, connectionsCheckingInterval: 10 },
    (_request, response) => void response.end("served"),
  );
  answerUnreadable(server, { headerBytes: 16_384, headersMs: 20, keepAliveMs }, "en");
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const reported = once(server, "clientError");
  const socket = await openSocket(port);
  let said = "";
  socket.on("data", (bytes) => {
    said += String(bytes);
  });
  return { port, socket, reported, closed: once(socket, "close"), getSaid: () => said };
}

test("a connection that was opened in advance serves the request that comes late", async () => {
  const { port, socket, reported, closed, getSaid } = await serve(60_000);
  await reported;
  socket.write(rawText("GET", "/", port));
  await closed;
  expect(getSaid()).toMatch(/^HTTP\/1\.1 200 OK[\s\S]*served$/);
});

test("it is closed without a word when no request comes", async () => {
  const { closed, getSaid } = await serve(20);
  await closed;
  expect(getSaid()).toBe("");
});

test("it is closed as well when what comes is no request, and a request that does not end gets 408", async () => {
  const blank = await serve(20);
  await blank.reported;
  blank.socket.write("\r\n");
  await blank.closed;
  expect(blank.getSaid()).toBe("");
  const slow = await serve(60_000);
  await slow.reported;
  slow.socket.write("GET / HTTP/1.1\r\nhost");
  await slow.closed;
  expect(slow.getSaid()).toContain("the request did not arrive in time");
});
