import type { JSONRPCMessage, StreamableHTTPClientTransport, Transport } from "@modelcontextprotocol/client";
import type { ServerTransport } from "../../config/config.ts";
import { sleep } from "../../kit/async/timeout.ts";
import type { Auth } from "../oauth/auth.ts";
import type { Sdk } from "../sdk.ts";
import { type Fetch, limitFetch } from "./limited-fetch.ts";
import type { OpenFetch } from "./own-connections.ts";
import { ownErrors } from "./stdio.ts";

/** A transport that is not connected yet, and how to leave it politely. */
export interface TransportLink {
  transport: Transport;
  /** What the client tries first: `auto` asks for the newest protocol and falls back. */
  mode: "legacy" | "auto";
  goodbye(): Promise<void>;
}

/** How long a server may take to end our session, in milliseconds. */
const goodbyeMs = 500;

type Target = Extract<ServerTransport, { url: string }>;

/** `auth` brings the sign-in; the configured headers go along whether there is one or not. */
export function createStreamableHttpLink(sdk: Sdk, target: Target, auth: Auth | undefined): TransportLink {
  const open = openFetch();
  const transport = new sdk.StreamableHTTPClientTransport(new URL(target.url), transportOptions(target, open, auth));
  failCutStreams(transport);
  closeWith(transport, open);
  return {
    transport,
    mode: "auto",
    // Closing alone would leave the session on the server until it expires there.
    goodbye: () => Promise.race([transport.terminateSession().catch(() => {}), sleep(goodbyeMs)]),
  };
}

/** The transport of 2024-11-05, which old servers still speak. */
export function createSseLink(sdk: Sdk, target: Target, auth: Auth | undefined): TransportLink {
  const open = openFetch();
  const transport = new sdk.SSEClientTransport(new URL(target.url), transportOptions(target, open, auth));
  closeWith(transport, open);
  return { transport, mode: "legacy", goodbye: async () => {} };
}

function transportOptions(
  { headers }: Target,
  open: OpenFetch,
  auth: Auth | undefined,
): { requestInit: RequestInit; redirectPolicy: "same-origin"; fetch: Fetch; authProvider?: Auth } {
  const fetch = limitFetch(open.fetch);
  const requestInit = { headers };
  if (auth === undefined) return { requestInit, redirectPolicy: "same-origin", fetch };
  return { requestInit, redirectPolicy: "same-origin", fetch: auth.watch(fetch), authProvider: auth };
}

/** The connections of a transport end with it. */
function closeWith(transport: Transport, open: OpenFetch): void {
  const close = transport.close.bind(transport);
  transport.close = async () => {
    await close();
    await open.close();
  };
}

/** A stream that ends before its answer would leave the call waiting for its time limit. */
function failCutStreams(transport: StreamableHTTPClientTransport): void {
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
 * `fetch` for long calls: silence is limited by who calls, where the built-in one gives up on a server that thinks for five
 * minutes. Its package is loaded at the first request.
 */
export function openFetch(): OpenFetch {
  let opened: Promise<OpenFetch> | undefined;
  return {
    async fetch(url, init) {
      opened ??= import("./own-connections.ts").then(({ createOwnConnections }) => createOwnConnections());
      return (await opened).fetch(url, init);
    },
    async close() {
      await opened?.then(({ close }) => close()).catch(() => {});
    },
  };
}
