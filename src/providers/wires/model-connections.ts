import { type ClientRequest, request as sendHttp } from "node:http";
import { request as sendHttps } from "node:https";
import type { Socket } from "node:net";
import type { HttpTarget } from "../../kit/net/http-target.ts";
import type { ResponseReceiver } from "./response-receiver.ts";

/**
 * Limits how long after sending a break still means that nobody has read the request, in milliseconds. A stale connection
 * breaks within a round trip; a server that has been silent for longer may have worked on the request.
 */
const longestBreakMs = 5000;

/** Limits how long a connection is kept that nobody uses, in milliseconds, where the server names no shorter time. */
const idleConnectionMs = 4000;

const brokenCodes = new Set(["ECONNRESET", "EPIPE"]);

/** No connection came about in time. */
export class ConnectTimeout extends Error {
  override readonly name = "ConnectTimeout";
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

/** Sends one request. What comes of it goes to the receiver. Throws for headers that cannot be sent. */
export type Post = (request: PostRequest, receiver: ResponseReceiver) => void;

/**
 * Opens connections to a model server, each of which serves request after request. Servers and proxies close idle connections without a
 * word, and a request that meets such a close on its way breaks. It is sent once more at once, over a new connection. RFC 9110 (9.2.2)
 * allows that for a POST only where the client knows that it may be repeated: one to a model may, since it changes nothing but what
 * is paid, and the retry of each network error before an answer would repeat it anyway. What breaks then is a failure.
 */
export function openModelConnections(target: HttpTarget, connectMs: number): Post {
  const kept = target.createAgent({ keepAlive: true, timeout: idleConnectionMs });
  const single = target.createAgent({ keepAlive: false });
  const send = target.isSecure ? sendHttps : sendHttp;

  function start(agent: typeof kept, { headers, signal }: PostRequest): ClientRequest {
    const { options, isTunnel } = target;
    return send({
      ...options,
      ...{ method: "POST", headers: { ...options.headers, ...headers }, agent },
      ...(isTunnel && { tunnelSignal: signal }),
    } as typeof options);
  }

  return (request, receiver) => {
    const options = { target, connectMs, receiver };
    const first = new Attempt(start(kept, request), options, () =>
      new Attempt(start(single, request), options).send(request.body),
    );
    first.send(request.body);
  };
}

interface AttemptOptions {
  target: HttpTarget;
  connectMs: number;
  receiver: ResponseReceiver;
}

/** Passes on what comes of a request. A break that means that nobody has read it calls `onStale` instead, where there is one. */
class Attempt {
  readonly #request: ClientRequest;
  readonly #options: AttemptOptions;
  readonly #onStale: (() => void) | undefined;
  #socket: Socket | undefined;
  #bytesBefore = 0;
  #sentAt = 0;
  #isConnected = false;
  #isGivenUp = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(request: ClientRequest, options: AttemptOptions, onStale?: () => void) {
    this.#request = request;
    this.#options = options;
    this.#onStale = onStale;
  }

  send(body: string): void {
    const request = this.#request;
    const { connectMs, receiver, target } = this.#options;
    this.#timer = setTimeout(() => request.destroy(new ConnectTimeout(connectMs)), connectMs);
    request.once("socket", (socket) => this.#watchSocket(socket, target.isSecure));
    request.once("close", () => clearTimeout(this.#timer));
    request.on("error", (error) => this.#fail(error));
    request.once("response", (response) => {
      const { statusCode = 0 } = response;
      const failure = target.explainStatus?.(statusCode);
      if (failure) {
        this.#giveUp();
        receiver.onResponseError(failure);
        return;
      }
      response.on("data", (chunk: Buffer) => receiver.onResponseData(chunk));
      response.once("end", () => receiver.onResponseEnd());
      response.on("error", (error) => receiver.onResponseError(error));
      receiver.onResponseStart(statusCode, response);
    });
    request.once("upgrade", (_, socket) => {
      socket.destroy();
      receiver.onResponseError(new Error("the server switched to another protocol"));
    });
    receiver.onRequestStart({ abort: () => this.#giveUp() });
    request.end(body);
  }

  #watchSocket(socket: Socket, isSecure: boolean): void {
    this.#socket = socket;
    this.#bytesBefore = socket.bytesRead;
    this.#sentAt = performance.now();
    const endConnecting = (): void => {
      this.#isConnected = true;
      clearTimeout(this.#timer);
    };
    if (this.#request.reusedSocket) endConnecting();
    else socket.once(isSecure ? "secureConnect" : "connect", endConnecting);
  }

  #giveUp(): void {
    this.#isGivenUp = true;
    this.#request.destroy();
  }

  #fail(error: Error & { code?: string }): void {
    const { receiver, target } = this.#options;
    if (this.#onStale && this.#isStale(error)) this.#onStale();
    else receiver.onResponseError(target.explainFailure?.(error, this.#isConnected) ?? error);
  }

  #isStale({ code = "" }: { code?: string }): boolean {
    if (this.#isGivenUp || !this.#request.reusedSocket || !brokenCodes.has(code)) return false;
    return this.#socket?.bytesRead === this.#bytesBefore && performance.now() - this.#sentAt < longestBreakMs;
  }
}
