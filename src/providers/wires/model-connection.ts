import { Client, type Dispatcher, type Pool } from "undici";
import { handleConnect } from "../../kit/net/handle-connect.ts";
import { ignoreContinue } from "../../kit/net/ignore-continue.ts";

/**
 * Limits how long after sending a break still means that nobody has read the request, in milliseconds. A stale connection
 * breaks within a round trip; a server that has been silent for longer may have worked on the request.
 */
const longestBreakMs = 5000;

const brokenCodes = new Set(["ECONNRESET", "EPIPE", "UND_ERR_SOCKET"]);

/** Creates a connection of a pool, with what the pool knows of its origin. */
export function createModelConnection(origin: URL, options: Pool.Options): Client {
  return new ModelConnection(origin, options);
}

/** Has each socket keep back a `100 Continue`, and calls `onBytes` when an answer begins, be it with one. */
function skipContinue(options: Pool.Options, onBytes?: () => void): Pool.Options {
  return handleConnect(options, { prepare: (socket) => ignoreContinue(socket, onBytes) });
}

/**
 * Represents one connection to a model server, and the next one after its end. Servers and proxies close idle connections without a
 * word, and a request that meets such a close on its way breaks. It is sent once more at once, over a new connection. RFC 9110 (9.2.2)
 * allows that for a POST only where the client knows that it may be repeated: one to a model may, since it changes nothing but what
 * is paid, and the retry of each network error before an answer would repeat it anyway. What breaks then is a failure.
 */
class ModelConnection extends Client {
  readonly #origin: URL;
  readonly #options: Pool.Options;
  /** Is true when the connection has brought an answer, so that what is sent over it now reuses it. */
  hasAnswered = false;
  /** Is true when something has come since the last request was sent. */
  hasBytes = false;

  constructor(origin: URL, options: Pool.Options) {
    super(
      origin,
      skipContinue(options, () => {
        this.hasBytes = true;
      }),
    );
    this.#origin = origin;
    this.#options = options;
    this.on("disconnect", () => {
      this.hasAnswered = false;
    });
  }

  override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    return super.dispatch(options, new FirstAttempt(this, options, handler));
  }

  /** Sends a request over a new connection, which closes after it. */
  sendAgain(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): void {
    const client = new Client(this.#origin, skipContinue(this.#options));
    client.dispatch(options, handler);
    void client.close();
  }
}

/** Passes on what comes of a request, except for a break that means that nobody has read it. */
class FirstAttempt implements Dispatcher.DispatchHandler {
  readonly #connection: ModelConnection;
  readonly #options: Dispatcher.DispatchOptions;
  readonly #next: Dispatcher.DispatchHandler;
  #isReused = false;
  #sentAt: number | undefined;

  constructor(connection: ModelConnection, options: Dispatcher.DispatchOptions, next: Dispatcher.DispatchHandler) {
    this.#connection = connection;
    this.#options = options;
    this.#next = next;
  }

  onRequestStart(controller: Dispatcher.DispatchController, context: unknown): void {
    this.#isReused = this.#connection.hasAnswered;
    this.#connection.hasBytes = false;
    this.#sentAt = performance.now();
    this.#next.onRequestStart?.(controller, context);
  }

  onResponseStarted(): void {
    this.#next.onResponseStarted?.();
  }

  onResponseStart(...given: Parameters<NonNullable<Dispatcher.DispatchHandler["onResponseStart"]>>): void {
    this.#connection.hasAnswered = true;
    this.#next.onResponseStart?.(...given);
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#next.onResponseData?.(controller, chunk);
  }

  onResponseEnd(...given: Parameters<NonNullable<Dispatcher.DispatchHandler["onResponseEnd"]>>): void {
    this.#next.onResponseEnd?.(...given);
  }

  onResponseError(controller: Dispatcher.DispatchController, error: Error & { code?: string }): void {
    if (this.#isStale(error)) this.#connection.sendAgain(this.#options, this.#next);
    else this.#next.onResponseError?.(controller, error);
  }

  #isStale({ code = "" }: { code?: string }): boolean {
    if (!brokenCodes.has(code)) return false;
    // A connection that breaks while it is idle takes the requests along that wait for it.
    if (this.#sentAt === undefined) return this.#connection.hasAnswered;
    return this.#isReused && !this.#connection.hasBytes && performance.now() - this.#sentAt < longestBreakMs;
  }
}
