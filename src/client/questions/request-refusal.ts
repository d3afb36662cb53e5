/** A request of a server that we do not fulfil; `code` is JSON-RPC's. Its words go to the server. */
export class RequestRefusedError extends Error {
  override readonly name = "Refusal";
  readonly code: number;

  constructor(code: number, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** There is no such method here, or not for this server. */
export function unknownMethodError(message: string): RequestRefusedError {
  return new RequestRefusedError(-32601, message);
}

/** What was sent along cannot be used. */
export function badRequestError(message: string): RequestRefusedError {
  return new RequestRefusedError(-32602, message);
}

/** Nothing is wrong with the request, but it cannot be fulfilled now. */
export function notNowError(message: string, cause?: unknown): RequestRefusedError {
  return new RequestRefusedError(-32603, message, { cause });
}
