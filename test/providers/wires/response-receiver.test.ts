import { once } from "node:events";
import { createServer, type RequestListener, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { setTimeout as pause, setImmediate as turn } from "node:timers/promises";
import { deflateSync } from "node:zlib";
import { expect, onTestFinished, test } from "vitest";
import { openTransport, type TransportResponse } from "../../../src/providers/wires/transport.ts";
import { waitForBody, waitForEnd } from "./wait-for-response.ts";

const never = new AbortController().signal;

async function serve(listener: RequestListener) {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const connections: Socket[] = [];
  server.on("connection", (socket) => connections.push(socket));
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === "object" && address ? address.port : 0}/`;
  const transport = openTransport();
  return {
    connections,
    post: (signal = never) => transport.post({ url, path: "", headers: {} }, {}, signal),
  };
}

function answer(response: ServerResponse): ServerResponse {
  return response.writeHead(200, { "content-type": "text/event-stream" });
}

async function readAll({ body }: TransportResponse, pieces: string[] = []): Promise<string[]> {
  await body.read((chunk) => {
    pieces.push(String(chunk));
    return false;
  });
  return pieces;
}

test("what a server has sent at one time is one piece, however it has cut it, and nothing is lost before somebody reads", async () => {
  const head = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n";
  const pack = (...words: string[]): string => words.map((word) => `1\r\n${word}\r\n`).join("");
  let socket: Socket | null = null;
  const { post } = await serve((_, response) => {
    socket = response.socket;
    socket?.write(head + pack("a", "b", "c"));
  });
  const response = await post();
  await pause(50);
  const reading = readAll(response);
  await pause(20);
  (socket as Socket | null)?.write(`${pack("d", "e", "f")}0\r\n\r\n`);
  expect(await reading).toEqual(["abc", "def"]);
});

test("the head of a response comes before its body, without what a server says before it, and its reader stops where it has enough", async () => {
  const begun = Promise.withResolvers<ServerResponse>();
  const { post } = await serve((_, response) => {
    response.writeEarlyHints({ link: "</style.css>; rel=preload" });
    response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
    begun.resolve(response);
  });
  const { body, contentType } = await post();
  expect(contentType).toBe("text/event-stream");
  const response = await begun.promise;
  const timer = setInterval(() => response.write("more"), 5);
  response.on("close", () => clearInterval(timer));
  let calls = 0;
  const isEnough = await body.read(() => {
    calls += 1;
    return calls === 2;
  });
  await pause(30);
  expect([isEnough, calls]).toEqual([true, 2]);
  body.close(false);
  await once(response, "close");
});

test("an abort before anybody reads discards what has arrived, of a whole body too, plain or compressed", async () => {
  for (const encoding of ["identity", "deflate"]) {
    const { post } = await serve((_, response) => {
      response.writeHead(200, { "content-encoding": encoding });
      response.end(encoding === "deflate" ? deflateSync("text") : "text");
    });
    const stop = new AbortController();
    const response = await post(stop.signal);
    await pause(30);
    const reason = new Error("the caller left");
    stop.abort(reason);
    const pieces: string[] = [];
    await expect(readAll(response, pieces)).rejects.toBe(reason);
    expect(pieces).toEqual([]);
    response.body.close(false);
  }
});

test("a server waits while its reader does, and nothing is lost", async () => {
  const megabyte = Buffer.alloc(1_000_000, "x");
  const begun = Promise.withResolvers<ServerResponse>();
  const { post } = await serve((_, response) => {
    answer(response);
    for (let n = 0; n < 60; n++) response.write(megabyte);
    response.end();
    begun.resolve(response);
  });
  const { body } = await post();
  const response = await begun.promise;
  let length = 0;
  const goOn = Promise.withResolvers<void>();
  const reading = body.read((chunk) => {
    length += chunk.length;
    return goOn.promise.then(() => {});
  });
  await pause(300);
  expect(response.writableFinished).toBe(false);
  expect(length).toBeLessThan(5_000_000);
  goOn.resolve();
  expect(await reading).toBe(false);
  expect(length).toBe(60_000_000);
});

test("an abort ends the reading also while a piece makes it wait", async () => {
  const { post } = await serve((_, response) => void answer(response).write("text"));
  const stop = new AbortController();
  const { body } = await post(stop.signal);
  const waiting = Promise.withResolvers<void>();
  const reading = body.read(() => {
    waiting.resolve();
    return new Promise(() => {});
  });
  await waiting.promise;
  const reason = new Error("the caller left");
  stop.abort(reason);
  await expect(reading).rejects.toBe(reason);
});

test("a compressed body is received as fast as it can be read, however little it says", async () => {
  // An empty block of the format takes 5 bytes and says nothing.
  const nothing = Buffer.concat(Array.from({ length: 100_000 }, () => Buffer.from([0, 0, 0, 255, 255])));
  const { post } = await serve((_, response) => {
    response.writeHead(200, { "content-encoding": "deflate" });
    response.write(deflateSync("").subarray(0, 2));
    const send = (): void => {
      while (!response.destroyed && response.write(nothing));
    };
    response.on("drain", send);
    send();
  });
  const stop = new AbortController();
  const reading = post(stop.signal).then((response) => readAll(response));
  const before = process.memoryUsage().rss;
  await pause(1500);
  expect(process.memoryUsage().rss - before).toBeLessThan(200_000_000);
  stop.abort(new Error("the caller left"));
  await expect(reading).rejects.toThrow("the caller left");
});

test("an error whose text does not end is given up with the caller", async () => {
  const { post } = await serve((_, response) => void response.writeHead(500).write("half of a reason"));
  const stop = new AbortController();
  const reading = waitForBody();
  const asked = post(stop.signal);
  await Promise.race([reading, asked]);
  const reason = new Error("the caller left");
  stop.abort(reason);
  await expect(asked).rejects.toBe(reason);
});

test("a whole answer gives its connection back, and one that is left closes it", async () => {
  let last: ServerResponse | undefined;
  const { post, connections } = await serve((_, response) => {
    last = answer(response);
    last.write("text");
  });
  const ended = waitForEnd();
  const whole = await post();
  await whole.body.read(() => true);
  whole.body.close(true);
  last?.end();
  await ended;
  // A connection is free a turn of the loop after that.
  await turn();
  const left = await post();
  expect(connections.length).toBe(1);
  await left.body.read(() => true);
  left.body.close(false);
  await once(connections[0] as Socket, "close");
});

test("an answer whose end does not come after a whole turn is cut", async () => {
  const { post, connections } = await serve((_, response) => void answer(response).write("text"));
  const { body } = await post();
  await body.read(() => true);
  body.close(true);
  await once(connections[0] as Socket, "close");
});

test("an abort ends the wait for the head, for a connection and for more of the body, with its own reason", async () => {
  let requests = 0;
  const silent = await serve(() => {
    requests += 1;
  });
  const begun = await serve((_, response) => void answer(response).write("text"));
  const reason = new Error("the caller left");
  for (const { post, connections } of [silent, begun]) {
    const stop = new AbortController();
    const reading = post(stop.signal).then((response) => readAll(response));
    await expect.poll(() => connections.length).toBe(1);
    if (connections === begun.connections) await pause(20);
    stop.abort(reason);
    await expect(reading).rejects.toBe(reason);
    if (!connections[0]?.destroyed) await once(connections[0] as Socket, "close");
  }
  expect(requests).toBe(1);
  const stop = new AbortController();
  const unconnected = silent.post(stop.signal);
  stop.abort(reason);
  await expect(unconnected).rejects.toBe(reason);
  await expect(silent.post(stop.signal)).rejects.toBe(reason);
  // It has a connection by now, and is not sent over it.
  await expect.poll(() => silent.connections.length).toBeGreaterThan(1);
  await pause(50);
  expect(requests).toBe(1);
});

test("what a reader throws ends the reading with it, and a broken connection with its error", async () => {
  const { post } = await serve((_, response) => {
    answer(response).write("text", () => response.destroy());
  });
  const thrown = new Error("no text");
  const first = await post();
  const throwing = first.body.read(() => {
    throw thrown;
  });
  await expect(throwing).rejects.toBe(thrown);
  first.body.close(false);
  const pieces: string[] = [];
  const second = await post();
  await expect(readAll(second, pieces)).rejects.toMatchObject({ code: "ECONNRESET" });
  expect(pieces).toEqual(["text"]);
});

test("a packed body is unpacked, and one that is packed wrong is an error", async () => {
  const bodies = [deflateSync("long text ".repeat(10_000)), "no such"];
  const { post } = await serve((_, response) => {
    response.writeHead(200, { "content-type": "text/event-stream", "content-encoding": "deflate" });
    response.end(bodies.shift());
  });
  expect((await readAll(await post())).join("")).toBe("long text ".repeat(10_000));
  await expect(post().then((response) => readAll(response))).rejects.toThrow(/incorrect header check/);
});
