import type { JSONRPCMessage, StreamableHTTPClientTransport, Transport } from "@modelcontextprotocol/client";
import type { ServerSettings, ServerTransport } from "../../config/config.ts";
import { ignoreRejection } from "../../kit/async/ignore-rejection.ts";
import { sleep } from "../../kit/async/timeout.ts";
import { findRoute, type Route } from "../../kit/net/proxy-rules.ts";
import type { Auth } from "../oauth/auth.ts";
import type { Sdk } from "../sdk.ts";
import { type Fetch, limitFetch } from "./limited-fetch.ts";
import type { OpenFetch } from "./own-connections.ts";
import { ownErrors } from "./own-errors.ts";
import { rejectRefusals } from "./refused-requests.ts";
import { createWatchedReads } from "./watched-reads.ts";

/** Holds a transport that is not connected yet, and the function that closes it in order. */
export interface TransportLink {
  transport: Transport;
  /** `auto` asks for the newest protocol first and falls back to the older one. */
  mode: "legacy" | "auto";
  /** Ends the session at the server, within half a second; never rejects. */
  terminateSession(): Promise<void>;
}

/** Limits the wait for the server to end our session, in milliseconds. */
const terminationMs = 500;

/** Names an HTTP server, and says how it is reached. */
export type HttpTarget = Extract<ServerTransport, { url: string }> & Pick<ServerSettings, "network">;

/** `auth` adds the sign-in. The configured headers are sent with or without it. */
export function createStreamableHttpLink(sdk: Sdk, target: HttpTarget, auth: Auth | undefined): TransportLink {
  const open = openFetch(findRoute(target.network, target.url));
  const reads = createWatchedReads(sdk.parseJSONRPCMessage);
  const options = createTransportOptions(target, reads.watch(rejectRefusals(limitFetch(open.fetch))), auth);
  const transport = new sdk.StreamableHTTPClientTransport(new URL(target.url), options);
  reads.attach(transport);
  reportCutStreams(transport);
  closeWith(transport, open);
  return {
    transport,
    mode: "auto",
    // Closing alone would leave the session on the server until it expires there.
    terminateSession: () =>
      Promise.race([
        ignoreRejection(transport.terminateSession(), "a session that is not ended expires on the server"),
        sleep(terminationMs),
      ]),
  };
}

/** Creates the HTTP+SSE transport of the 2024-11-05 protocol, which old servers still use. */
export function createSseLink(sdk: Sdk, target: HttpTarget, auth: Auth | undefined): TransportLink {
  const open = openFetch(findRoute(target.network, target.url));
  const reads = createWatchedReads(sdk.parseJSONRPCMessage);
  const options = createTransportOptions(target, reads.watch(rejectRefusals(limitFetch(open.fetch))), auth);
  const transport = new sdk.SSEClientTransport(new URL(target.url), options);
  reads.attach(transport);
  closeWith(transport, open);
  return { transport, mode: "legacy", terminateSession: async () => {} };
}

function createTransportOptions(
  { headers }: HttpTarget,
  fetch: Fetch,
  auth: Auth | undefined,
): { requestInit: RequestInit; redirectPolicy: "same-origin"; fetch: Fetch; authProvider?: Auth } {
  const requestInit = { headers };
  if (auth === undefined) return { requestInit, redirectPolicy: "same-origin", fetch };
  return { requestInit, redirectPolicy: "same-origin", fetch: auth.watch(fetch), authProvider: auth };
}

function closeWith(transport: Transport, open: OpenFetch): void {
  const close = transport.close.bind(transport);
  transport.close = async () => {
    await close();
    await open.close();
  };
}

/** Fails the calls of a stream that ends before its response. They would otherwise wait for their time limit. */
function reportCutStreams(transport: StreamableHTTPClientTransport): void {
  const send = transport.send.bind(transport);
  transport.send = (message, options) => {
    const ids = (Array.isArray(message) ? message : [message]).flatMap(requestId);
    const onRequestStreamEnd = (): void => {
      for (const id of ids) transport.onmessage?.(cutAnswer(id));
    };
    // After a normal end the request is settled, and the client ignores a second answer.
    return send(message, { ...options, onRequestStreamEnd });
  };
}

function requestId(message: JSONRPCMessage): (string | number)[] {
  return "method" in message && "id" in message ? [message.id] : [];
}

function cutAnswer(id: string | number): JSONRPCMessage {
  return { jsonrpc: "2.0", id, error: { code: ownErrors.cut, message: "The stream ended before the answer" } };
}

/**
 * Returns a `fetch` for long calls. The caller limits the silence, while the built-in `fetch` gives up after five minutes.
 * undici is loaded at the first request.
 */
export function openFetch(route?: Route): OpenFetch {
  let opened: Promise<OpenFetch> | undefined;
  return {
    async fetch(url, init) {
      opened ??= import("./own-connections.ts").then(({ createOwnConnections }) => createOwnConnections(route));
      return (await opened).fetch(url, init);
    },
    async close() {
      await ignoreRejection(
        opened?.then(({ close }) => close()),
        "the connection is left in any case",
      );
    },
  };
}
