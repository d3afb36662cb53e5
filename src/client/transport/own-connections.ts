// In a file of its own, which is imported lazily: bundled, an `import()` of the package itself has no names.
import { Agent, fetch } from "undici";
import { ignoreRejection } from "../../kit/async/ignore-rejection.ts";
import type { Fetch } from "./limited-fetch.ts";

/** Limits the time to connect, TLS included, in milliseconds. undici's timer fires up to a second late. */
const connectLimitMs = 9000;

/** This `fetch` has a connection pool of its own. */
export interface OpenFetch {
  fetch: Fetch;
  /** Ends what is still under way; never rejects. */
  close(): Promise<void>;
}

export function createOwnConnections(): OpenFetch {
  const connect = { timeout: connectLimitMs };
  const dispatcher = new Agent({ headersTimeout: 0, bodyTimeout: 0, allowH2: false, connect });
  const send: Fetch = (url, init = {}) => {
    const { method, headers, body, redirect, signal } = init;
    // The transports send texts only.
    const text = typeof body === "string" ? { body } : {};
    return fetch(url, { dispatcher, method, redirect, signal, headers: [...new Headers(headers)], ...text });
  };
  return { fetch: send, close: () => ignoreRejection(dispatcher.destroy(), "the connections are left in any case") };
}
