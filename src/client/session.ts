import type { Client, Implementation, Transport } from "@modelcontextprotocol/client";
import type { JsonObject } from "../core/json.ts";
import type { Text } from "../core/locale.ts";
import { printableLine } from "../core/printable.ts";
import type { RawResult } from "./content.ts";
import { statusOf } from "./failures.ts";
import { totalLimitMs } from "./limits.ts";
import { listTools, type RemoteTool } from "./listing.ts";
import { looseResult } from "./loose.ts";
import type { Redact } from "./redact.ts";
import type { ServerSettings, ServerTransport } from "./settings.ts";
import { type Link, type Sdk, sseLink, streamableHttpLink } from "./transport/http.ts";

/** What a server says of itself; untrusted, but on one line and printable. */
export interface ServerInfo {
  name: string;
  version: string;
}

/** One live connection, from the handshake to its end. A lost one is replaced, never repaired. */
export interface Session {
  readonly tools: RemoteTool[];
  /** Tools that were left out, and why. */
  readonly problems: Text[];
  readonly serverInfo: ServerInfo | undefined;
  readonly protocolVersion: string | undefined;
  /** Whether the connection has ended, also before anybody listened. */
  isOver(): boolean;
  /** Rejects with the package's errors; progress keeps the call alive up to the total limit. */
  call(tool: RemoteTool, args: JsonObject, options: CallOptions): Promise<RawResult>;
  /** Never rejects. */
  close(): Promise<void>;
}

export interface CallOptions {
  signal: AbortSignal;
  onProgress: OnProgress;
  /** Goes along in the call's `_meta`. */
  meta?: Record<string, unknown> | undefined;
}

export type OnProgress = (progress: { message?: string; progress: number; total?: number }) => void;

export interface SessionOptions {
  sdk: Sdk;
  settings: ServerSettings;
  clientInfo: Implementation;
  redact: Redact;
  /** Ends the handshake. */
  signal: AbortSignal;
  /** Called once when the connection ends, for whatever reason. */
  onLost(): void;
}

/** Shakes hands over a transport that is ready (stdio), or opens one (HTTP), and lists the tools. */
export async function openSession(options: SessionOptions, stdio: Transport | undefined): Promise<Session> {
  const { client, link } = await connect(options, stdio);
  const { settings, redact, signal } = options;
  try {
    const { tools, problems } = await listTools(client, redact, signal, settings.startTimeoutMs);
    const info = client.getServerVersion();
    return {
      tools,
      problems,
      serverInfo: info && { name: shown(redact(info.name)), version: shown(redact(info.version)) },
      protocolVersion: client.getNegotiatedProtocolVersion(),
      isOver: () => client.transport === undefined,
      call: (tool, args, callOptions) =>
        callTool(client, tool, args, { ...callOptions, timeoutMs: settings.timeoutMs }),
      close: () => leave(client, link),
    };
  } catch (error) {
    void leave(client, link);
    throw error;
  }
}

interface Connected {
  client: Client;
  link: Link;
}

async function connect(options: SessionOptions, stdio: Transport | undefined): Promise<Connected> {
  const { sdk, settings } = options;
  const { transport } = settings;
  if (stdio !== undefined) {
    // All real stdio servers are of the 2025 era; asking first would cost a silent one its whole start limit.
    return shakeHands(options, { transport: stdio, mode: "legacy", goodbye: async () => {} });
  }
  if (transport.type === "stdio") throw new Error("A stdio server needs its process first");
  if (transport.type === "sse") return shakeHands(options, sseLink(sdk, transport));
  return connectByUrl(options, transport);
}

/** Streamable HTTP first; a server that does not know it answers 404 or 405, and is asked in the old way. */
async function connectByUrl(
  options: SessionOptions,
  target: Extract<ServerTransport, { url: string }>,
): Promise<Connected> {
  try {
    return await shakeHands(options, streamableHttpLink(options.sdk, target));
  } catch (error) {
    const status = statusOf(error);
    if (status !== 404 && status !== 405) throw error;
    return await shakeHands(options, sseLink(options.sdk, target)).catch(() => {
      throw error;
    });
  }
}

async function shakeHands(options: SessionOptions, link: Link): Promise<Connected> {
  const { sdk, settings, clientInfo, signal } = options;
  const timeoutMs = settings.startTimeoutMs;
  const client = new sdk.Client(clientInfo, {
    capabilities: {},
    versionNegotiation: { mode: link.mode, probe: { timeoutMs } },
    inputRequired: { autoFulfill: false },
  });
  const stop = (): void => void client.close().catch(() => {});
  // Before the handshake begins the client does not know its transport, so it is closed directly.
  const abandon = (): void => void link.transport.close().catch(() => {});
  signal.addEventListener("abort", abandon, { once: true });
  try {
    await client.connect(link.transport, { timeout: timeoutMs, signal });
  } finally {
    signal.removeEventListener("abort", abandon);
  }
  client.onclose = options.onLost;
  // The old transport reconnects by itself into a session that nobody has initialised.
  client.onerror = (error) => {
    if (sdk.SseError.isInstance(error)) stop();
  };
  return { client, link };
}

async function leave(client: Client, link: Link): Promise<void> {
  await link.goodbye().catch(() => {});
  await client.close().catch(() => {});
  // A connection that was lost before has no client to close it.
  await link.transport.close().catch(() => {});
}

async function callTool(
  client: Client,
  tool: RemoteTool,
  args: JsonObject,
  limits: CallOptions & { timeoutMs: number },
): Promise<RawResult> {
  const options = {
    signal: limits.signal,
    timeout: limits.timeoutMs,
    maxTotalTimeout: totalLimitMs(limits.timeoutMs),
    // The package sends no progress token without a listener, and then nothing resets the time-out.
    resetTimeoutOnProgress: true,
    onprogress: limits.onProgress,
  };
  const params = { name: tool.name, arguments: args, _meta: limits.meta };
  if (client.getProtocolEra() === "modern" && mirrorsParameters(tool)) {
    // Only the package's own call mirrors arguments into `Mcp-Param-*` headers.
    const toolDefinition = { name: tool.name, inputSchema: { ...tool.inputSchema, type: "object" as const } };
    return { ...(await client.callTool(params, { ...options, toolDefinition })) };
  }
  return client.request({ method: "tools/call", params }, looseResult, options);
}

function mirrorsParameters(tool: RemoteTool): boolean {
  return JSON.stringify(tool.inputSchema).includes('"x-mcp-header"');
}

function shown(text: string): string {
  return printableLine(text).slice(0, 200);
}
