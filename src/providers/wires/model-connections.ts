import { type Agent, type ClientRequest, request as sendHttp } from "node:http";
import { request as sendHttps } from "node:https";
import type { Socket } from "node:net";
import type { HttpTarget, HttpTargetOptions } from "../../kit/net/http-target.ts";
import type { ResponseReceiver } from "./response-receiver.ts";

/**
 * Limits how long after sending a break still means that nobody has read the request, in milliseconds. A stale connection
 * breaks within a round trip; a server that has been silent for longer may have worked on the request.
 */
const longestBreakMs = 5000;

/**
 * Limits how long a connection is kept that nobody uses, in milliseconds, where the server names no shorter time. Most tools end within
 * it, so that the next turn needs no new connection; servers and what is before them keep one for a minute or longer.
 */
const idleConnectionMs = 30_000;

const brokenCodes = new Set(["ECONNRESET", "EPIPE"]);

/** No connection came about in time. */
export class ConnectTimeout extends Error {
  override readonly name = "ConnectTimeout";
  readonly code = "ETIMEDOUT";
  /** Is the limit that was exceeded, in milliseconds. */
  readonly limitMs: number;

  constructor(limitMs: number) {
    super(`no connection within ${limitMs} ms`);
    this.limitMs = limitMs;
  }
}

/** Is a POST request to the address of the connections. */
export interface PostRequest {
  headers: Record<string, string>;
  body: string;
  /** Is the one that the receiver of the response heeds. */
  signal: AbortSignal;
}

/** Sends one request. What comes of it goes to the receiver, also that its headers cannot be sent. */
export type Post = (request: PostRequest, receiver: ResponseReceiver) => void;

/**
 * Opens connections to a model server, each of which serves request after request. Servers and proxies close idle connections without a
 * word, and a request that meets such a close on its way breaks. It is sent once more at once, over a new connection. RFC 9110 (9.2.2)
 * allows that for a POST only where the client knows that it may be repeated: one to a model may, since it changes nothing but what
 * is paid, and the retry of each network error before an answer would repeat it anyway. What breaks then is a failure.
 */
export function openModelConnections(target: HttpTarget, connectMs: number): Post {
  const keepAliveAgent = target.createAgent({ keepAlive: true, timeout: idleConnectionMs });
  const singleUseAgent = target.createAgent({ keepAlive: false });
  const send = target.isSecure ? sendHttps : sendHttp;
  // A request that is given up before it has its socket sets it free once more.
  keepAliveAgent.on("free", (socket: Socket) => socket.off("data", closeSocket).on("data", closeSocket));

  function createRequest(agent: Agent, { headers, signal }: PostRequest): ClientRequest {
    const { options: shared } = target;
    const options: HttpTargetOptions = {
      ...shared,
      ...{ method: "POST", headers: { ...shared.headers, ...headers }, agent, tunnelSignal: signal },
    };
    return send(options);
  }

  return (request, receiver) => {
    const options = { target, connectMs, receiver, body: request.body };
    const sendAgain = (): void => new Attempt(() => createRequest(singleUseAgent, request), options).send();
    const first = new Attempt(() => createRequest(keepAliveAgent, request), options, sendAgain);
    if (Object.keys(keepAliveAgent.freeSockets).length === 0) first.send();
    else first.sendLater();
  };
}

/**
 * Closes an idle connection on which something has come: nobody has asked for it, and the next request must not take the rest of it for its
 * answer. Node 24 does so itself.
 */
function closeSocket(this: Socket): void {
  this.destroy();
}

interface AttemptOptions {
  target: HttpTarget;
  connectMs: number;
  receiver: ResponseReceiver;
  body: string;
}

/** Passes on what comes of a request. A break that means that nobody has read it calls `onStale` instead, where there is one. */
class Attempt {
  readonly #createRequest: () => ClientRequest;
  readonly #options: AttemptOptions;
  readonly #onStale: (() => void) | undefined;
  #request: ClientRequest | undefined;
  #socket: Socket | undefined;
  #bytesBefore = 0;
  #sentAt = 0;
  #isConnected = false;
  #isGivenUp = false;
  #timer: NodeJS.Timeout | undefined;

  /** `createRequest` may throw. */
  constructor(createRequest: () => ClientRequest, options: AttemptOptions, onStale?: () => void) {
    this.#createRequest = createRequest;
    this.#options = options;
    this.#onStale = onStale;
    options.receiver.onRequestStart({ abort: () => this.#giveUp() });
  }

  /** Sends the request when what has arrived on idle connections by now is read, which closes them: the sockets are polled before that. */
  sendLater(): void {
    setImmediate(() => setImmediate(() => this.send()));
  }

  send(): void {
    if (this.#isGivenUp) return;
    const { body, receiver } = this.#options;
    try {
      this.#request = this.#createRequest();
    } catch (thrown) {
      receiver.onResponseError(thrown instanceof Error ? thrown : new Error(String(thrown)));
      return;
    }
    this.#listen(this.#request);
    // A text would be joined with the head, whose bytes are then those of UTF-8.
    this.#request.end(Buffer.from(body));
  }

  #listen(request: ClientRequest): void {
    const { connectMs, receiver, target } = this.#options;
    this.#timer = setTimeout(() => request.destroy(new ConnectTimeout(connectMs)), connectMs);
    request.once("socket", (socket) => this.#watchSocket(socket, request));
    request.once("close", () => clearTimeout(this.#timer));
    request.on("error", (error) => this.#fail(error, request));
    request.once("response", (response) => {
      const { statusCode = 0 } = response;
      const failure = statusCode === 101 ? switchedProtocolError() : target.explainStatus?.(statusCode);
      if (failure) {
        this.#giveUp();
        receiver.onResponseError(failure);
        return;
      }
      response.on("data", (chunk: Buffer) => receiver.onResponseData(chunk));
      response.once("end", () => receiver.onResponseEnd());
      response.on("error", (error) => receiver.onResponseError(explainClose(error)));
      receiver.onResponseStart(statusCode, response);
    });
    request.once("upgrade", (_, socket) => {
      socket.destroy();
      receiver.onResponseError(switchedProtocolError());
    });
  }

  #watchSocket(socket: Socket, { reusedSocket }: ClientRequest): void {
    socket.off("data", closeSocket);
    this.#socket = socket;
    this.#bytesBefore = socket.bytesRead;
    this.#sentAt = performance.now();
    const endConnecting = (): void => {
      this.#isConnected = true;
      clearTimeout(this.#timer);
    };
    if (reusedSocket) endConnecting();
    else socket.once(this.#options.target.isSecure ? "secureConnect" : "connect", endConnecting);
  }

  #giveUp(): void {
    this.#isGivenUp = true;
    this.#request?.destroy();
  }

  #fail(error: Error & { code?: string }, { reusedSocket }: ClientRequest): void {
    const { receiver, target } = this.#options;
    if (this.#onStale && reusedSocket && this.#isStale(error)) this.#onStale();
    else receiver.onResponseError(target.explainFailure?.(error, this.#isConnected) ?? explainClose(error));
  }

  #isStale({ code = "" }: { code?: string }): boolean {
    if (this.#isGivenUp || !brokenCodes.has(code)) return false;
    return this.#socket?.bytesRead === this.#bytesBefore && performance.now() - this.#sentAt < longestBreakMs;
  }
}

function switchedProtocolError(): Error {
  return new Error("the server switched to another protocol (HTTP 101), and only HTTP/1.1 is spoken");
}

/** Node says of a connection that the server has closed that its own side has "aborted" or "hung up". */
function explainClose(error: Error & { code?: string }): Error {
  const isClose = error.code === "ECONNRESET" && ["aborted", "socket hang up"].includes(error.message);
  return isClose ? Object.assign(new Error("the server closed the connection"), { code: error.code }) : error;
}
