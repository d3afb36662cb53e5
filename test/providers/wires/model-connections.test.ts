import { spawn } from "node:child_process";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { setTimeout as pause, setImmediate as turn } from "node:timers/promises";
import { createServer as createTlsServer } from "node:tls";
import { expect, onTestFinished, test, vi } from "vitest";
import type { ProxyRules } from "../../../src/kit/net/proxy-rules.ts";
import { createModel } from "../../../src/providers/create-model.ts";
import { createEndpoints } from "../../../src/providers/middleware/endpoints.ts";
import { openTransport } from "../../../src/providers/wires/transport.ts";
import { authority, certificate, certificateKey } from "../../fakes/proxy/certificates.ts";
import { hear, settings } from "../reading.ts";

const answer = 'data: {"choices":[{"delta":{"content":"It rains."},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n';

interface Asked {
  socket: Socket;
  /** Counts the requests of the connection from 1. */
  place: number;
  /** Counts the connections from 1. */
  connection: number;
  response: ServerResponse;
}

function reply(response: ServerResponse): void {
  response.writeHead(200, { "content-type": "text/event-stream" }).end(answer);
}

/** Starts a server that keeps connections, and gives a transport to it. `asked` lists its requests as `connection.place`. */
async function serve(onRequest: (asked: Asked) => void) {
  const places = new Map<Socket, { place: number; connection: number }>();
  const asked: string[] = [];
  const server = createServer({ keepAliveTimeout: 600_000 }, (request, response) => {
    const { socket } = request;
    const { place, connection } = places.get(socket) ?? { place: 0, connection: places.size + 1 };
    const count = { place: place + 1, connection };
    places.set(socket, count);
    asked.push(`${connection}.${count.place}`);
    request.resume().on("end", () => onRequest({ socket, response, ...count }));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  const origin = `http://127.0.0.1:${typeof address === "object" && address ? address.port : 0}`;
  return { origin, asked, sockets: places, ...openClient(origin) };
}

function openClient(origin: string, network?: ProxyRules) {
  const transport = openTransport({ network });
  return {
    /** Resolves when the answer is read and its connection waits for the next request. */
    async post(signal = new AbortController().signal, onPiece = () => {}): Promise<string> {
      const { body } = await transport.post({ url: `${origin}/`, path: "", headers: {} }, {}, signal);
      let text = "";
      await body.read((chunk) => {
        text += String(chunk);
        onPiece();
        return false;
      });
      body.close(true);
      await turn();
      return text;
    },
  };
}

const breaks: [string, (socket: Socket) => void][] = [
  ["resets", (socket) => socket.resetAndDestroy()],
  ["closes", (socket) => socket.destroy()],
];

test.each(breaks.flatMap(([name, end]) => [1, 10].map((width) => ({ name, end, width }))))(
  "a server that $name each connection at its second request answers all questions, $width at once, without a retry",
  async ({ end, width }) => {
    let broken = 0;
    const { origin } = await serve(({ socket, place, response }) => {
      if (place === 1) return reply(response);
      broken += 1;
      end(socket);
    });
    const sleep = vi.fn(async () => {});
    const model = createModel(settings({ baseUrl: origin }), { endpoints: createEndpoints(), sleep });
    const notices: string[] = [];
    async function askInTurn(): Promise<void> {
      for (let n = 0; n < 60 / width; n++) {
        const heard = await hear(model);
        expect(heard.text).toBe("It rains.");
        notices.push(...heard.notices);
        await turn();
      }
    }
    await Promise.all(Array.from({ length: width }, askInTurn));
    expect(notices).toEqual([]);
    expect(sleep).not.toHaveBeenCalled();
    // The budget allows ten retries.
    expect(broken).toBeGreaterThan(11);
  },
);

test.each(breaks)("a request whose connection breaks before it is sent (%s) is sent over a new one", async (_, end) => {
  const { post, asked, sockets } = await serve(({ response }) => reply(response));
  await post();
  for (const socket of sockets.keys()) end(socket);
  expect(await post()).toBe(answer);
  expect(asked).toEqual(["1.1", "2.1"]);
});

test("a new connection that breaks is a failure, also after one that was reused", async () => {
  const { post, asked } = await serve(({ socket, connection, place, response }) => {
    if (connection === 2 && place === 1) reply(response);
    else socket.resetAndDestroy();
  });
  await expect(post()).rejects.toMatchObject({ code: "ECONNRESET" });
  expect(asked).toEqual(["1.1"]);
  await post();
  await expect(post()).rejects.toMatchObject({ code: "ECONNRESET" });
  expect(asked).toEqual(["1.1", "2.1", "2.2", "3.1"]);
});

test("a new connection that breaks is a failure, also where it follows one that was closed while another one lives", async () => {
  const { post, asked, sockets } = await serve(({ socket, connection, response }) => {
    // The first connection stays in use.
    if (connection === 1) response.writeHead(200).write("text");
    else if (connection === 2) reply(response);
    else socket.resetAndDestroy();
  });
  const stop = new AbortController();
  const first = post(stop.signal).catch((thrown: unknown) => thrown);
  await expect.poll(() => asked).toEqual(["1.1"]);
  await post();
  const second = [...sockets.keys()][1];
  second?.destroy();
  await once(second as Socket, "close");
  await turn();
  await expect(post()).rejects.toMatchObject({ code: "ECONNRESET" });
  expect(asked).toEqual(["1.1", "2.1", "3.1"]);
  stop.abort(new Error("the caller left"));
  await first;
});

test("a connection that takes the request again closes after its answer", async () => {
  const { post, asked, sockets } = await serve(({ socket, place, response }) => {
    if (place === 1) reply(response);
    else socket.destroy();
  });
  await post();
  await post();
  const second = [...sockets.keys()][1];
  if (!second?.destroyed) await once(second as Socket, "close");
  expect(asked).toEqual(["1.1", "1.2", "2.1"]);
});

test("connections to a model server that offers HTTP/2 speak HTTP/1.1, direct or with trusted certificates of their own", async () => {
  const offered: string[][] = [];
  const server = createTlsServer({
    ...{ key: certificateKey, cert: certificate },
    ALPNCallback({ protocols }) {
      offered.push(protocols);
      return protocols[0];
    },
  }).listen(0, "127.0.0.1");
  server.on("secureConnection", (socket) => void socket.end());
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const address = server.address();
  const origin = `https://127.0.0.1:${typeof address === "object" && address ? address.port : 0}`;
  // A direct connection does not trust the certificate; what it speaks is chosen before that.
  await expect(openClient(origin).post()).rejects.toThrow();
  await expect(openClient(origin, { ca: authority, noProxy: [] }).post()).rejects.toThrow();
  expect(offered).toEqual([["http/1.1"], ["http/1.1"]]);
});

const proceed = "HTTP/1.1 100 Continue\r\n\r\n";

test.each(["H", "HTTP/1.1 1", "HTTP/1.1 2", proceed, `${proceed}H`, "HTTP/1.1 103 Early Hints\r\n\r\n"])(
  "a request after which %j came is not sent again",
  async (begun) => {
    const { post, asked } = await serve(({ socket, place, response }) => {
      if (place === 1) return reply(response);
      socket.end(begun);
    });
    await post();
    await expect(post()).rejects.toMatchObject({ code: "ECONNRESET" });
    expect(asked).toEqual(["1.1", "1.2"]);
  },
);

test("a request that a server has had for more than five seconds is not sent again", async () => {
  const held = Promise.withResolvers<Socket>();
  const { post, asked } = await serve(({ socket, place, response }) => {
    if (place === 1) reply(response);
    else held.resolve(socket);
  });
  await post();
  const asking = post();
  const socket = await held.promise;
  const now = performance.now.bind(performance);
  const clock = vi.spyOn(performance, "now").mockImplementation(() => now() + 5001);
  onTestFinished(() => clock.mockRestore());
  socket.resetAndDestroy();
  await expect(asking).rejects.toMatchObject({ code: "ECONNRESET" });
  expect(asked).toEqual(["1.1", "1.2"]);
});

test("an abort ends a request that was sent again, with its own reason", async () => {
  const held = Promise.withResolvers<Socket>();
  const { post } = await serve(({ socket, connection, place, response }) => {
    if (connection === 2) held.resolve(socket);
    else if (place === 1) reply(response);
    else socket.destroy();
  });
  await post();
  const stop = new AbortController();
  const asking = post(stop.signal);
  const socket = await Promise.race([held.promise, asking.then(() => undefined)]);
  const reason = new Error("the caller left");
  stop.abort(reason);
  await expect(asking).rejects.toBe(reason);
  if (!socket?.destroyed) await once(socket as Socket, "close");
});

test.each<[string, string, (origin: string) => ProxyRules]>([
  ["a proxy", "http://model.example", (http) => ({ http, noProxy: [] })],
  ["connections with trusted certificates of their own", "", () => ({ ca: authority, noProxy: [] })],
])("over %s, too, a request that meets the end of an idle connection is sent once more", async (_, name, toRules) => {
  const { origin, asked } = await serve(({ socket, place, response }) => {
    if (place === 1) reply(response);
    else socket.destroy();
  });
  const { post } = openClient(name || origin, toRules(origin));
  await post();
  expect(await post()).toBe(answer);
  expect(asked).toEqual(["1.1", "1.2", "2.1"]);
});

/** Has each socket that this process connects give what has arrived in pieces of `size` bytes, however the kernel has joined them. */
function readInPieces(size: number): string[] {
  const pieces: string[] = [];
  function split(message: unknown): void {
    const { socket } = message as { socket: Socket };
    const { push } = socket;
    socket.push = (bytes: Buffer | null): boolean => {
      if (bytes === null) return push.call(socket, null);
      let isWanted = true;
      for (let start = 0; start < bytes.length; start += size) {
        const piece = bytes.subarray(start, start + size);
        pieces.push(String(piece));
        isWanted = push.call(socket, piece);
      }
      return isWanted;
    };
  }
  subscribe("net.client.socket", split);
  onTestFinished(() => void unsubscribe("net.client.socket", split));
  return pieces;
}

test.each([proceed.length, 10, 1])(
  "an unasked 100 Continue before each answer is passed over, in pieces of %i bytes",
  async (size) => {
    const pieces = readInPieces(size);
    const { post, asked } = await serve(({ socket, response }) => {
      socket.write(proceed);
      reply(response);
    });
    for (let n = 0; n < 3; n++) expect(await post()).toBe(answer);
    expect(asked).toEqual(["1.1", "1.2", "1.3"]);
    expect(pieces[0]).toBe(proceed.slice(0, size));
  },
);

test("an unasked 100 Continue is passed over also where the request was sent again", async () => {
  const { post, asked } = await serve(({ socket, place, response }) => {
    if (place === 2) return void socket.destroy();
    socket.write(proceed);
    reply(response);
  });
  await post();
  expect(await post()).toBe(answer);
  expect(asked).toEqual(["1.1", "1.2", "2.1"]);
});

test("an answer that has begun may say 100 Continue", async () => {
  const begun = Promise.withResolvers<void>();
  const { post } = await serve(async ({ response }) => {
    response.writeHead(200, { "content-length": 4 + proceed.length }).write("text");
    await begun.promise;
    response.end(proceed);
  });
  expect(await post(undefined, begun.resolve)).toBe(`text${proceed}`);
});

test.each(["upgrade: other\r\nconnection: upgrade\r\n", ""])(
  "a server that switches to another protocol (%j) is a failure at once",
  async (headers) => {
    const { post, asked } = await serve(({ socket }) => {
      socket.write(`HTTP/1.1 101 Switching Protocols\r\n${headers}\r\n`);
    });
    await expect(post()).rejects.toThrow("the server switched to another protocol (HTTP 101)");
    expect(asked).toEqual(["1.1"]);
  },
);

test("a caller that leaves while a used connection is silent ends its request, which is not sent again", async () => {
  const held = Promise.withResolvers<Socket>();
  const { post, asked } = await serve(({ socket, place, response }) => {
    if (place === 1) reply(response);
    else held.resolve(socket);
  });
  await post();
  const stop = new AbortController();
  const asking = post(stop.signal);
  const socket = await Promise.race([held.promise, asking.then(() => undefined)]);
  const reason = new Error("the caller left");
  stop.abort(reason);
  await expect(asking).rejects.toBe(reason);
  if (!socket?.destroyed) await once(socket as Socket, "close");
  // Whatever was sent again would come before this.
  await post().catch(() => {});
  expect(asked).toEqual(["1.1", "1.2", "2.1"]);
});

/** Answers each request, and 20 ms later once more, with what nobody has asked for. */
const strayServer = `
  let connections = 0;
  const answer = (text) => "HTTP/1.1 200 OK\\r\\ncontent-length: " + text.length + "\\r\\n\\r\\n" + text;
  const server = require("node:net").createServer((socket) => {
    const connection = ++connections;
    let place = 0;
    socket.on("error", () => {}).on("data", (bytes) => {
      if (!String(bytes).startsWith("POST")) return;
      socket.write(answer("answer " + connection + "." + ++place));
      setTimeout(() => socket.write(answer("unasked")), 20);
    });
  });
  server.listen(0, "127.0.0.1", () => console.log(server.address().port));
`;

test("what a server sends unasked on an idle connection answers no question, and the connection is not used again", async () => {
  // In a process of its own, it sends while this one is busy.
  const child = spawn(process.execPath, ["-e", strayServer], { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  const [port] = await once(child.stdout, "data");
  const { post } = openClient(`http://127.0.0.1:${String(port).trim()}`);
  expect(await post()).toBe("answer 1.1");
  for (const next of ["2.1", "3.1", "4.1"]) {
    // Nothing is read meanwhile.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300);
    expect(await post()).toBe(`answer ${next}`);
  }
  await pause(300);
  expect(await post()).toBe("answer 5.1");
});
