import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { createServer as createHttpServer, type IncomingHttpHeaders, type RequestListener } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { onTestFinished } from "vitest";
import { certificate, certificateKey } from "./certificate.ts";

/** A server on loopback that counts who connects. */
export interface Listener {
  port: number;
  /** Connections so far. */
  connects: number;
  /** Bytes that were sent to it, as text. */
  received: string;
  /** Resolves when the first connection is gone. */
  closed: Promise<void>;
}

/** A TCP server that handles each connection as instructed; closed with its connections when the test ends. */
export async function startListener(
  onConnection: (socket: Socket, nth: number) => void = () => {},
  where: { host?: string; port?: number } = {},
): Promise<Listener> {
  return counted(createServer(), onConnection, where);
}

export interface Site extends Listener {
  requests: { method: string; path: string; headers: IncomingHttpHeaders; body: string }[];
}

/** An HTTP server, or HTTPS with the certificate of the tests. */
export async function startSite(answer: RequestListener, { secure = false } = {}): Promise<Site> {
  const requests: Site["requests"] = [];
  const listener: RequestListener = async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    const { method = "", url = "", headers } = request;
    requests.push({ method, path: url, headers, body });
    answer(request, response);
  };
  const server = secure
    ? createHttpsServer({ key: certificateKey, cert: certificate }, listener)
    : createHttpServer(listener);
  return Object.assign(await counted(server, () => {}, {}), { requests });
}

async function counted(
  server: Server,
  onConnection: (socket: Socket, nth: number) => void,
  { host = "127.0.0.1", port = 0 }: { host?: string; port?: number },
): Promise<Listener> {
  const sockets = new Set<Socket>();
  const gone = Promise.withResolvers<void>();
  const listener: Listener = { port: 0, connects: 0, received: "", closed: gone.promise };
  server.on("connection", (socket: Socket) => {
    listener.connects += 1;
    sockets.add(socket);
    socket.on("data", (data: Buffer) => {
      listener.received += data.toString("latin1");
    });
    socket.on("error", () => {}).on("close", () => gone.resolve());
    onConnection(socket, listener.connects);
  });
  await new Promise<void>((resolve, reject) => server.once("error", reject).listen(port, host, resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  listener.port = portOf(server.address());
  return listener;
}

function portOf(address: AddressInfo | string | null): number {
  return address !== null && typeof address === "object" ? address.port : 0;
}

/** Counts the sockets that this process opens to anywhere until the test ends. */
export function countSockets(): { opened: number } {
  const count = { opened: 0 };
  const add = (): void => {
    count.opened += 1;
  };
  subscribe("net.client.socket", add);
  onTestFinished(() => {
    unsubscribe("net.client.socket", add);
  });
  return count;
}
