import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import type { Socket } from "node:net";
import { DuetError, getMessage } from "../../kit/errors.ts";
import type { Locale } from "../../kit/locale.ts";
import { type ListenAddress, toUrlHost } from "./address.ts";
import { answerUnreadable } from "./unreadable-requests.ts";

export interface ConnectionLimits {
  /** Limits the connections at one time, in total and from one address. */
  most: number;
  mostPerAddress: number;
  /**
   * Limits how long a request's headers may take to arrive, in milliseconds. `requestMs` limits the whole request. Responses may
   * last any time.
   */
  headersMs: number;
  requestMs: number;
  /** Limits how long a connection may stay open without a request, in milliseconds. */
  keepAliveMs: number;
  /** Is how often the time limits are checked, in milliseconds. */
  checkMs: number;
  /** Limits all headers together, in bytes. */
  headerBytes: number;
}

export const connectionLimits: Omit<ConnectionLimits, "most" | "mostPerAddress"> = {
  headersMs: 10_000,
  requestMs: 60_000,
  keepAliveMs: 65_000,
  checkMs: 5000,
  headerBytes: 16_384,
};

export interface ListeningServer {
  /** Is the port that is bound, which differs from the requested port when that was 0. */
  port: number;
  /** Takes no more; connections with an open answer have `graceMs` milliseconds to end it. */
  close(graceMs: number): Promise<void>;
}

/** A connection that is silent for this long is probed, in milliseconds, to detect a client that vanished. */
const probeAfterMs = 30_000;

/** Begins to listen; throws where the address cannot be had, in one line, or what `respond` throws, asked once the port is known. */
export async function listen(
  { host, port, locale }: ListenAddress & { locale: Locale },
  limits: ConnectionLimits,
  respond: (port: number) => RequestListener,
): Promise<ListeningServer> {
  const server = createServer({
    headersTimeout: limits.headersMs,
    requestTimeout: limits.requestMs,
    keepAliveTimeout: limits.keepAliveMs,
    connectionsCheckingInterval: limits.checkMs,
    maxHeaderSize: limits.headerBytes,
    keepAlive: true,
    keepAliveInitialDelay: probeAfterMs,
    // A request without it is refused as any other, with an ID and in the caller's words.
    requireHostHeader: false,
  });
  // RFC 9110, section 10.1.1, lets a server pass over what it does not know. Node would refuse it without an ID.
  server.on("checkExpectation", (request, response) => void server.emit("request", request, response));
  server.maxConnections = limits.most;
  limitAddresses(server, limits.mostPerAddress);
  answerUnreadable(server, limits, locale);
  server.listen({ host, port });
  try {
    await once(server, "listening");
  } catch (thrown) {
    throw notListeningError({ host, port }, thrown);
  }
  const bound = server.address();
  const boundPort = typeof bound === "object" && bound !== null ? bound.port : port;
  try {
    server.on("request", respond(boundPort));
  } catch (thrown) {
    await close(server, 0);
    throw thrown;
  }
  return { port: boundPort, close: (graceMs) => close(server, graceMs) };
}

/** Limits the connections of each address, so that one client cannot use all of them. */
function limitAddresses(server: Server, most: number): void {
  const open = new Map<string, number>();
  server.on("connection", (socket: Socket) => {
    const address = socket.remoteAddress ?? "";
    const count = (open.get(address) ?? 0) + 1;
    if (count > most) {
      socket.destroy();
      return;
    }
    open.set(address, count);
    socket.once("close", () => {
      const left = (open.get(address) ?? 1) - 1;
      if (left === 0) open.delete(address);
      else open.set(address, left);
    });
  });
}

/** Is how often connections whose responses have ended are looked for, in milliseconds. */
const idleCheckMs = 20;

async function close(server: Server, graceMs: number): Promise<void> {
  const closed = once(server, "close");
  server.close();
  const idle = setInterval(() => server.closeIdleConnections(), idleCheckMs);
  const cut = setTimeout(() => server.closeAllConnections(), graceMs);
  await closed;
  clearInterval(idle);
  clearTimeout(cut);
}

function notListeningError({ host, port }: ListenAddress, thrown: unknown): DuetError {
  const place = `${toUrlHost(host)}:${port}`;
  const code = thrown instanceof Error && "code" in thrown ? thrown.code : undefined;
  if (code === "EADDRINUSE")
    return new DuetError({
      code: "network",
      text: { zh: `${place} 已被占用`, en: `${place} is already in use` },
      hint: { zh: "请换一个端口，或用 0 由系统选择。", en: "Choose another port, or 0 for any free one." },
      cause: thrown,
    });
  const why = getMessage(thrown);
  return new DuetError({
    code: "network",
    text: { zh: `无法监听 ${place}：${why}`, en: `cannot listen on ${place}: ${why}` },
    cause: thrown,
  });
}
