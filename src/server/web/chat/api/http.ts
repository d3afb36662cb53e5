import { readRefusal } from "./refused.ts";

export interface Sending {
  readonly body?: object | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Sends a request and gives its answer. Rejects with `Refused` where the server says no, and with whatever `fetch` rejects
 * with where it cannot be reached.
 */
export type Send = (method: "GET" | "POST" | "DELETE", path: string, sending?: Sending) => Promise<Response>;

export interface SenderOptions {
  /** In front of each path; empty for where the page comes from. */
  readonly origin: string;
  token(): string | undefined;
  /** Somebody has to sign in; resolves when they have. Rejects when the signal aborts. */
  signIn(signal: AbortSignal | undefined): Promise<void>;
}

/** A request that is refused for want of a token waits for one and is sent again. */
export function createSender({ origin, token, signIn }: SenderOptions): Send {
  return async (method, path, { body, headers, signal } = {}) => {
    for (;;) {
      const used = token();
      const response = await fetch(origin + path, {
        method,
        headers: {
          ...(body === undefined ? {} : { "content-type": "application/json" }),
          ...(used === undefined ? {} : { authorization: `Bearer ${used}` }),
          ...headers,
        },
        credentials: "omit",
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        ...(signal === undefined ? {} : { signal }),
      });
      if (response.ok) return response;
      if (response.status !== 401) throw await readRefusal(response);
      await response.body?.cancel();
      if (token() === used) await signIn(signal);
    }
  };
}
