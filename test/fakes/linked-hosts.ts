import { Client as ClientV2, InMemoryTransport } from "@modelcontextprotocol/client";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport as InMemoryV1 } from "@modelcontextprotocol/sdk/inMemory.js";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { onTestFinished } from "vitest";
import type { Caller } from "../../src/core/caller.ts";
import type { HostOutcome } from "../../src/server/mcp/agent/host-outcome.ts";
import type { McpInterface } from "../../src/server/mcp/mcp-interface.ts";

export type Era = "v1" | "v2 legacy" | "v2 modern";

export const eras: readonly Era[] = ["v1", "v2 legacy", "v2 modern"];

export interface LinkedOptions {
  era?: Era;
  caller?: Caller;
  /** As the host names itself. */
  name?: string;
  version?: string;
  /** As over stdio: aborts when the host can send nothing more. Absent, the connection is like a session over HTTP. */
  inputEnded?: AbortSignal;
  /** Answers a question; absent, the host says that it cannot ask. */
  onQuestion?(params: Record<string, unknown>): Promise<object> | object;
}

export interface Called {
  outcome: HostOutcome;
  text: string;
  isError: boolean;
  content: readonly { type: string }[];
}

export interface CallOptions {
  signal?: AbortSignal;
  /** After how many milliseconds the host gives up. */
  timeout?: number;
  onprogress?(progress: { progress: number; message?: string }): void;
  meta?: Record<string, unknown>;
}

/** A host with an official client, in this process, over the transport that stdio has. */
export interface LinkedHost {
  call(name: string, args: object, options?: CallOptions): Promise<Called>;
  ask(question: string, more?: object, options?: CallOptions): Promise<Called>;
  listTools(): Promise<unknown>;
  close(): Promise<void>;
}

export async function linkHost(mcp: McpInterface, options: LinkedOptions = {}): Promise<LinkedHost> {
  const { era = "v1" } = options;
  const client = era === "v1" ? await connectV1(mcp, options) : await connectV2(mcp, era, options);
  onTestFinished(() => client.close());
  const host: LinkedHost = {
    async call(name, args, settings) {
      const result = await client.callTool(name, args, settings);
      const [first] = result.content;
      return {
        outcome: result.structuredContent,
        text: first?.text ?? "",
        isError: result.isError === true,
        content: result.content,
      };
    },
    ask: (question, more = {}, settings) => host.call("agent_ask", { question, ...more }, settings),
    listTools: client.listTools,
    close: client.close,
  };
  return host;
}

interface Result {
  content: { type: string; text?: string }[];
  structuredContent: HostOutcome;
  isError?: boolean;
}

interface Connected {
  callTool(name: string, args: object, options?: CallOptions): Promise<Result>;
  listTools(): Promise<unknown>;
  close(): Promise<void>;
}

async function connectV1(
  mcp: McpInterface,
  { name = "test", version = "1", caller, inputEnded, onQuestion }: LinkedOptions,
): Promise<Connected> {
  const [above, below] = InMemoryV1.createLinkedPair();
  const server = await mcp.createServer(caller, false, { inputEnded });
  await server.connect(below);
  const client = new ClientV1({ name, version }, { capabilities: onQuestion ? { elicitation: {} } : {} });
  if (onQuestion)
    client.setRequestHandler(ElicitRequestSchema, async ({ params }) => (await onQuestion(params)) as never);
  await client.connect(above);
  return {
    callTool: async (tool, args, { meta, ...options } = {}) =>
      client.callTool({ name: tool, arguments: { ...args }, _meta: meta }, undefined, options) as never,
    listTools: () => client.listTools(),
    close: () => client.close(),
  };
}

async function connectV2(
  mcp: McpInterface,
  era: Era,
  { name = "test", version = "1", caller, inputEnded, onQuestion }: LinkedOptions,
): Promise<Connected> {
  const [above, below] = InMemoryTransport.createLinkedPair();
  const handle = serveStdio(() => mcp.createServer(caller, false, { inputEnded }), { transport: below });
  const client = new ClientV2(
    { name, version },
    {
      capabilities: onQuestion ? { elicitation: { form: {} } } : {},
      versionNegotiation: { mode: era === "v2 modern" ? "auto" : "legacy" },
    },
  );
  if (onQuestion)
    client.setRequestHandler("elicitation/create", async ({ params }) => (await onQuestion(params)) as never);
  await client.connect(above);
  return {
    callTool: async (tool, args, { meta, ...options } = {}) =>
      client.callTool({ name: tool, arguments: { ...args }, _meta: meta }, options) as never,
    listTools: () => client.listTools(),
    async close() {
      await client.close();
      await handle.close();
    },
  };
}
