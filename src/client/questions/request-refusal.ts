/** Refuses a server's request; `code` is JSON-RPC's. The message is sent to the server. */
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

/** Reports unusable parameters of the server's request. */
export function badRequestError(message: string): RequestRefusedError {
  return new RequestRefusedError(-32602, message);
}

/** Nothing is wrong with the request, but it cannot be fulfilled now. */
export function notNowError(message: string, cause?: unknown): RequestRefusedError {
  return new RequestRefusedError(-32603, message, { cause });
}
