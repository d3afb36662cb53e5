import type { Client, Implementation, Transport } from "@modelcontextprotocol/client";
import type { ServerSettings } from "../../config/config.ts";
import { ignoreRejection } from "../../kit/async/ignore-rejection.ts";
import { getStatus } from "../connection-errors.ts";
import { toClientCapabilities } from "../questions/answers.ts";
import type { Sdk } from "../sdk.ts";
import { createSseLink, createStreamableHttpLink, type HttpTarget, type TransportLink } from "../transport/http.ts";
import type { ServerPins } from "../trust/pins.ts";

/** Names the protocol revisions that a server speaks: up to 2025-11-25, or from 2026-07-28 on. */
export type Era = NonNullable<ServerPins["era"]>;

export interface Handshake {
  sdk: Sdk;
  settings: ServerSettings;
  clientInfo: Implementation;
  /** Selects the revisions to request from a stdio server; over HTTP they are negotiated. */
  era: Era;
  /** Is true when one of our models may serve the server's sampling requests. */
  canSample: boolean;
  /** Is true where hosts get the tools themselves, and show the server's pages. */
  passesOn?: boolean | undefined;
  auth: Parameters<typeof createStreamableHttpLink>[2];
  /** Ends the handshake. */
  signal: AbortSignal;
}

export interface ConnectedClient {
  client: Client;
  link: TransportLink;
}

const longestProbeMs = 10_000;

/** Shakes hands over a transport that is ready (stdio), or opens one (HTTP). Rejects with the package's errors. */
export function openConnection(handshake: Handshake, stdio: Transport | undefined): Promise<ConnectedClient> {
  const { sdk, settings, era, auth } = handshake;
  const { transport } = settings;
  if (stdio !== undefined) {
    // Real stdio servers are of the 2025 era; asking for the newer one first would cost a silent one its start limit.
    const mode = era === "modern" ? "auto" : "legacy";
    return connect(handshake, { transport: stdio, mode, terminateSession: async () => {} });
  }
  if (transport.type === "stdio") throw new Error("A stdio server needs its process first");
  const target = { ...transport, network: settings.network };
  if (target.type === "sse") return connect(handshake, createSseLink(sdk, target, auth));
  return connectByUrl(handshake, target);
}

/** Tries Streamable HTTP first; a server that does not know it answers 404 or 405, and is then asked over the older transport. */
async function connectByUrl(handshake: Handshake, target: HttpTarget): Promise<ConnectedClient> {
  const { sdk, auth } = handshake;
  try {
    return await connect(handshake, createStreamableHttpLink(sdk, target, auth));
  } catch (error) {
    const status = getStatus(error);
    if (status !== 404 && status !== 405) throw error;
    return await connect(handshake, createSseLink(sdk, target, auth)).catch(() => {
      throw error;
    });
  }
}

async function connect(
  { sdk, settings, clientInfo, canSample, passesOn, signal }: Handshake,
  link: TransportLink,
): Promise<ConnectedClient> {
  const timeoutMs = settings.startTimeoutMs;
  // A stdio server that has gone back to the older protocol may be silent, and needs time left to be asked in that.
  const probeMs = settings.transport.type === "stdio" ? Math.min(timeoutMs / 3, longestProbeMs) : timeoutMs;
  const client = new sdk.Client(clientInfo, {
    capabilities: toClientCapabilities(settings, { canSample, passesOn }),
    versionNegotiation: { mode: link.mode, probe: { timeoutMs: probeMs } },
    inputRequired: { autoFulfill: false },
  });
  // Before the handshake begins the client does not know its transport, so it is closed directly.
  const abandon = (): void => void ignoreRejection(link.transport.close(), "the handshake tells why it ended");
  signal.addEventListener("abort", abandon, { once: true });
  try {
    await client.connect(link.transport, { timeout: timeoutMs, signal });
  } finally {
    signal.removeEventListener("abort", abandon);
  }
  return { client, link };
}

/** Ends the session and closes everything; never rejects. */
export async function closeConnection({ client, link }: ConnectedClient): Promise<void> {
  await ignoreRejection(link.terminateSession(), "the session is left in any case");
  await ignoreRejection(client.close(), "the session is left in any case");
  // A connection that was lost before has no client to close it.
  await ignoreRejection(link.transport.close(), "the session is left in any case");
}
