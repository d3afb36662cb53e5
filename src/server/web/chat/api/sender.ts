import type { Locale } from "../../../../kit/locale.ts";
import { type ApiError, readRefusal } from "./api-error.ts";

export interface SendOptions {
  readonly body?: object | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Limits how long the server may take to answer, in milliseconds. The time that a person takes to sign in does not count. */
  readonly limitMs?: number | undefined;
  /** Limits in the same way how long the server may take to begin its answer, for a stream whose end has no limit. */
  readonly headersMs?: number | undefined;
}

/**
 * Is thrown where the server cannot be reached, or does not answer in time. What a browser says of that is in its own words, and says
 * no more.
 */
export class UnreachedError extends Error {
  override readonly name = "UnreachedError";

  constructor(cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
  }
}

/**
 * Sends a request and returns its response. Rejects with `ApiError` when the server refuses it, with `UnreachedError` when the server
 * cannot be reached, and with the reason of the signal when that aborts.
 */
export type Send = (method: string, path: string, sending?: SendOptions) => Promise<Response>;

export interface SenderOptions {
  /** Is prefixed to each path, and is empty for the page's own origin. */
  readonly origin: string;
  token(): string | undefined;
  /** Is the language in which the server words what it refuses. */
  locale(): Locale;
  /**
   * Resolves when the user has signed in. Rejects when the signal aborts. `refused` is what the server said of the token, and undefined
   * for one that could not be sent.
   */
  signIn(signal: AbortSignal | undefined, refused: ApiError | undefined): Promise<void>;
}

/** Matches the tokens that a header can carry. With another one a browser sends nothing, as if the server could not be reached. */
const sendable = /^[ -~]*$/;

/** A request refused for a missing token waits for one and is sent again. */
export function createSender({ origin, token, locale, signIn }: SenderOptions): Send {
  return async (method, path, { body, headers, signal, limitMs, headersMs } = {}) => {
    for (;;) {
      const used = token();
      if (used !== undefined && !sendable.test(used)) {
        await signIn(signal, undefined);
        continue;
      }
      const begin = new AbortController();
      const timer = headersMs === undefined ? undefined : setTimeout(() => begin.abort(), headersMs);
      const whole = limitMs === undefined ? [] : [AbortSignal.timeout(limitMs)];
      const fetched = fetch(origin + path, {
        method,
        headers: {
          "accept-language": locale(),
          ...(body === undefined ? {} : { "content-type": "application/json" }),
          ...(used === undefined ? {} : { authorization: `Bearer ${used}` }),
          ...headers,
        },
        credentials: "same-origin",
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal: AbortSignal.any([signal ?? [], whole, begin.signal].flat()),
      });
      const response = await fetched
        .catch((thrown: unknown) => {
          throw signal?.aborted ? thrown : new UnreachedError(thrown);
        })
        .finally(() => clearTimeout(timer));
      if (response.ok) return response;
      const refused = await readRefusal(response);
      if (refused.status !== 401) throw refused;
      if (token() === used) await signIn(signal, refused);
    }
  };
}
