// In a file of its own, which is imported lazily: bundled, an `import()` of the package itself has no names.
import { Agent, type Dispatcher, fetch } from "undici";
import { ignoreRejection } from "../../kit/async/ignore-rejection.ts";
import type { Route } from "../../kit/net/proxy-rules.ts";
import type { Fetch } from "./limited-fetch.ts";

/** Limits the time to connect, TLS included, in milliseconds. undici's timer fires up to a second late. */
const connectLimitMs = 9000;

/** This `fetch` has a connection pool of its own. */
export interface OpenFetch {
  fetch: Fetch;
  /** Ends what is still under way; never rejects. */
  close(): Promise<void>;
}

/** Without a route, connections are direct. */
export async function createOwnConnections(route: Route | undefined): Promise<OpenFetch> {
  const dispatcher = await openDispatcher(route);
  const send: Fetch = (url, init = {}) => {
    const { method, headers, body, redirect, signal } = init;
    // The transports send texts only.
    const text = typeof body === "string" ? { body } : {};
    return fetch(url, { dispatcher, method, redirect, signal, headers: [...new Headers(headers)], ...text });
  };
  return { fetch: send, close: () => ignoreRejection(dispatcher.destroy(), "the connections are left in any case") };
}

async function openDispatcher(route: Route | undefined): Promise<Dispatcher> {
  if (route === undefined) {
    const connect = { timeout: connectLimitMs };
    return new Agent({ headersTimeout: 0, bodyTimeout: 0, allowH2: false, connect });
  }
  const { createDispatcher } = await import("../../kit/net/create-dispatcher.ts");
  return createDispatcher(route, { connectMs: connectLimitMs });
}
