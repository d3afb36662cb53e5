import type { Socket } from "node:net";
import { expect, test } from "vitest";
import { openSocket, post, rawText, readRaw, startHttpFace } from "../../../fakes/http-interface.ts";

/** Sends all but the last character, so that many of them are complete in the same moment. */
async function prepare(port: number, text: string): Promise<{ socket: Socket; finish(): void }> {
  const socket = await openSocket(port);
  await new Promise<void>((resolve) => socket.write(text.slice(0, -1), () => resolve()));
  return { socket, finish: () => void socket.write(text.slice(-1)) };
}

test("another request is answered before the second of 20 long bodies that are complete at once", async () => {
  const order: (string | undefined)[] = [];
  const face = await startHttpFace({ onAnswer: ({ route }) => void order.push(route) });
  const long = { jsonrpc: "2.0", id: 1, method: "ping", params: { texts: Array(8000).fill("a long list of texts") } };
  const bodies = await Promise.all(Array.from({ length: 20 }, () => prepare(face.port, post(face.port, long))));
  const health = await prepare(face.port, rawText("GET", "/healthz", face.port));
  for (const { finish } of [...bodies, health]) finish();
  await Promise.all([...bodies, health].map(({ socket }) => readRaw(socket)));
  expect(order).toHaveLength(21);
  expect(order.indexOf("/healthz")).toBeLessThan(2);
  await face.close();
});
