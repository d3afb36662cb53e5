import { Client as ClientV2, StreamableHTTPClientTransport as HttpV2 } from "@modelcontextprotocol/client";
import { StdioClientTransport as StdioV2 } from "@modelcontextprotocol/client/stdio";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as StdioV1 } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport as HttpV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
  LoggingMessageNotificationSchema,
  ResourceUpdatedNotificationSchema,
  ToolListChangedNotificationSchema,
} from "@modelcontextprotocol/sdk/types.js";

type Json = Record<string, unknown>;

/** A program over stdio, or the address of its `/mcp`. */
export type Served = { command: string; args: string[]; env: Record<string, string> } | { url: string };

export type HostOptions = Served & {
  /** As the host names itself. */
  name?: string;
  /** Answers a question; absent, the host says that it cannot ask. */
  onQuestion?(params: Json): Promise<Json> | Json;
  onToolsChanged?(): void;
  onUpdated?(uri: string): void;
  onLog?(entry: { level: string; logger?: string | undefined; data?: unknown }): void;
  /** Lists its directories; absent, the host says that it has none. */
  onRoots?(): { roots: { uri: string }[] };
  /** Writes a text; absent, the host says that it has no model for others. */
  onSampling?(params: Json): Promise<Json> | Json;
  /** Hears each message as it is read, before the SDK does with it what it likes. */
  onMessage?(message: Json): void;
};

export interface CallSettings {
  onprogress?(progress: { progress: number; total?: number; message?: string }): void;
  signal?: AbortSignal;
  /** Milliseconds. */
  timeout?: number;
  resetTimeoutOnProgress?: boolean;
  meta?: Json;
}

/** A host of either SDK and era, as far as these tests go. */
export interface Host {
  instructions(): string | undefined;
  listTools(): Promise<Listed[]>;
  call(name: string, args?: Json, settings?: CallSettings): Promise<Result>;
  listPrompts(): Promise<Listed[]>;
  getPrompt(name: string, args: Record<string, string>): Promise<Json>;
  listResources(): Promise<Json[]>;
  listTemplates(): Promise<Json[]>;
  read(uri: string): Promise<{ contents: Json[] }>;
  /** Follows one resource; the function that it gives ends that. */
  subscribe(uri: string): Promise<() => Promise<void>>;
  setLogLevel(level: "debug" | "warning" | "error"): Promise<unknown>;
  announceRoots(): Promise<void>;
  complete(ref: Ref, argument: { name: string; value: string }): Promise<{ completion: { values: string[] } }>;
  close(): Promise<void>;
}

export type Ref = { type: "ref/prompt"; name: string } | { type: "ref/resource"; uri: string };

export interface Listed extends Json {
  name: string;
}

export interface Result {
  content: Json[];
  structuredContent?: unknown;
  isError?: boolean | undefined;
  _meta?: Json | undefined;
}

export type Connect = (options: HostOptions) => Promise<Host>;

export const connectV1: Connect = async ({
  name: hostName = "test",
  onQuestion,
  onToolsChanged,
  onSampling,
  onUpdated,
  onLog,
  onRoots,
  onMessage,
  ...served
}) => {
  const capabilities = {
    ...(onQuestion && { elicitation: { form: {}, url: {} } }),
    ...(onSampling && { sampling: {} }),
    ...(onRoots && { roots: { listChanged: true } }),
  };
  const client = new ClientV1({ name: hostName, version: "1" }, { capabilities });
  if (onQuestion)
    client.setRequestHandler(ElicitRequestSchema, async ({ params }) => (await onQuestion(params)) as never);
  if (onRoots) client.setRequestHandler(ListRootsRequestSchema, onRoots);
  if (onLog) client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => onLog(params));
  if (onUpdated)
    client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => onUpdated(params.uri));
  if (onSampling)
    client.setRequestHandler(CreateMessageRequestSchema, async ({ params }) => (await onSampling(params)) as never);
  if (onToolsChanged) client.setNotificationHandler(ToolListChangedNotificationSchema, () => onToolsChanged());
  const transport = "url" in served ? new HttpV1(new URL(served.url)) : new StdioV1({ ...served, stderr: "pipe" });
  await client.connect(transport as never);
  overhear(transport, onMessage);
  return {
    instructions: () => client.getInstructions(),
    listTools: async () => (await client.listTools()).tools,
    call: async (name, args = {}, { meta, ...settings } = {}) =>
      (await client.callTool({ name, arguments: args, _meta: meta }, undefined, settings)) as Result,
    listPrompts: async () => (await client.listPrompts()).prompts,
    getPrompt: (name, args) => client.getPrompt({ name, arguments: args }),
    listResources: async () => (await client.listResources()).resources,
    listTemplates: async () => (await client.listResourceTemplates()).resourceTemplates,
    read: (uri) => client.readResource({ uri }),
    announceRoots: () => client.sendRootsListChanged(),
    setLogLevel: (level) => client.setLoggingLevel(level),
    async subscribe(uri) {
      await client.subscribeResource({ uri });
      return async () => void (await client.unsubscribeResource({ uri }));
    },
    complete: (ref, argument) => client.complete({ ref, argument }),
    close: () => client.close(),
  };
};

/** Tells of each message that a transport reads from now on. */
function overhear<Message extends Json>(
  transport: { onmessage?: ((message: Message) => void) | undefined },
  onMessage: HostOptions["onMessage"],
): void {
  const { onmessage } = transport;
  if (onMessage === undefined) return;
  transport.onmessage = (message) => {
    onMessage(message);
    onmessage?.call(transport, message);
  };
}

export function connectV2(mode: "legacy" | "auto"): Connect {
  return async ({
    name: hostName = "test",
    onQuestion,
    onToolsChanged,
    onSampling,
    onUpdated,
    onLog,
    onRoots,
    onMessage,
    ...served
  }) => {
    const client = new ClientV2(
      { name: hostName, version: "2" },
      {
        versionNegotiation: { mode },
        capabilities: {
          ...(onQuestion && { elicitation: { form: {}, url: {} } }),
          ...(onSampling && { sampling: {} }),
          ...(onRoots && { roots: { listChanged: true } }),
        },
        ...(onToolsChanged && { listChanged: { tools: { onChanged: () => onToolsChanged(), autoRefresh: false } } }),
      },
    );
    if (onQuestion)
      client.setRequestHandler("elicitation/create", async ({ params }) => (await onQuestion(params)) as never);
    if (onRoots) client.setRequestHandler("roots/list", onRoots);
    if (onLog) client.setNotificationHandler("notifications/message", ({ params }) => onLog(params));
    if (onUpdated)
      client.setNotificationHandler("notifications/resources/updated", ({ params }) => onUpdated(params.uri));
    if (onSampling)
      client.setRequestHandler("sampling/createMessage", async ({ params }) => (await onSampling(params)) as never);
    const transport = "url" in served ? new HttpV2(new URL(served.url)) : new StdioV2({ ...served, stderr: "pipe" });
    await client.connect(transport);
    overhear(transport, onMessage);
    return {
      instructions: () => client.getInstructions(),
      listTools: async () => (await client.listTools()).tools,
      call: async (name, args = {}, { meta, ...settings } = {}) =>
        (await client.callTool({ name, arguments: args, _meta: meta }, settings)) as Result,
      listPrompts: async () => (await client.listPrompts()).prompts,
      getPrompt: (name, args) => client.getPrompt({ name, arguments: args }),
      listResources: async () => (await client.listResources()).resources,
      listTemplates: async () => (await client.listResourceTemplates()).resourceTemplates,
      read: (uri) => client.readResource({ uri }),
      announceRoots: () => client.sendRootsListChanged(),
      setLogLevel: (level) => client.setLoggingLevel(level),
      async subscribe(uri) {
        if (client.getProtocolEra() === "modern") {
          const subscription = await client.listen({ resourceSubscriptions: [uri] });
          return () => subscription.close();
        }
        await client.subscribeResource({ uri });
        return async () => void (await client.unsubscribeResource({ uri }));
      },
      complete: (ref, argument) => client.complete({ ref, argument }),
      close: () => client.close(),
    };
  };
}

export const hosts: [string, Connect][] = [
  ["an SDK v1 client", connectV1],
  ["a v2 client of the old revision", connectV2("legacy")],
  ["a v2 client that negotiates the new revision", connectV2("auto")],
];
