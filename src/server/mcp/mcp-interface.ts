import {
  type McpServer,
  type Prompt,
  ProtocolError,
  ProtocolErrorCode,
  type Resource,
  ResourceNotFoundError,
  type ResourceTemplateType,
  type Tool,
} from "@modelcontextprotocol/server";
import type { Duet } from "../../app/duet.ts";
import { type Caller, operator } from "../../core/caller.ts";
import { ignoreRejection } from "../../kit/async/ignore-rejection.ts";
import { say } from "../../kit/locale.ts";
import { version } from "../../kit/version.ts";
import { type Host, readHost } from "../../runs/input/host.ts";
import type { HostConnection } from "../../runs/input/host-connection.ts";
import type { LiveRuns } from "../../runs/live/live-run.ts";
import { openRunService, type RunService, type RunServiceOptions } from "../../runs/run-service.ts";
import { createAgent } from "./agent/agent.ts";
import { announceChanges } from "./announce-changes.ts";
import type { Capabilities } from "./capabilities.ts";
import { pageLimits, takePage } from "./pages.ts";
import { createResourceSubscriptions, type ResourceSubscriptions } from "./resource-subscriptions.ts";
import { SchemaServer } from "./schema-server.ts";
import { serveLog } from "./serve-log.ts";
import type { Warnings } from "./warnings.ts";

export interface McpInterfaceOptions extends RunServiceOptions {
  /** Holds the runs that are shared with other interfaces. When absent, the interface has its own. */
  service?: RunService | undefined;
  /** Holds the rules of `tools.ask`, which say which calls need approval. */
  asks: readonly string[];
  /** Says what hosts get: the agent (when absent), everything that the agent could use, or both. */
  expose?: "agent" | "tools" | "both" | undefined;
  /** Gives the warnings for the operator, which the operator's hosts may read. */
  warnings?: Pick<Warnings, "onLog"> | undefined;
  /** Limits the weight of a tool list, in tokens. A heavier list is replaced by tools that search it. */
  listLimit?: number | undefined;
}

/** Represents the MCP interface of the whole process. All connections share its runs. */
export interface McpInterface {
  readonly runs: LiveRuns;
  /** Calls `onUpdated` for each change of these resources, until the returned function is called. */
  followResources(caller: Caller, uris: readonly string[], onUpdated: (uri: string) => void): () => void;
  /** Creates a server for one connection, which is cheap. `isOneRequest`: as in `HostConnection`. */
  createServer(caller?: Caller, isOneRequest?: boolean, details?: ConnectionDetails): Promise<McpServer>;
}

export interface ConnectionDetails {
  /** Is set over stdio, as in `HostConnection`. */
  inputEnded?: AbortSignal | undefined;
  /** Is described at `HostConnection`. */
  sessionId?: string | undefined;
  /** Names the tool that the one request of the connection calls. */
  calledTool?: string | undefined;
  /** Takes what follows resources for the streams of the connection (2026-07-28), which do not reach its server. */
  onSubscriptions?(subscriptions: ResourceSubscriptions): void;
}

export function createMcpInterface(
  duet: Duet,
  { expose = "agent", listLimit, warnings, ...options }: McpInterfaceOptions,
): McpInterface {
  const { locale } = duet;
  const service = options.service ?? openRunService(duet, options);
  const agent = createAgent(service, options);
  const { getBudget } = service.runs;
  async function listServerInstructions(caller: Caller): Promise<string[]> {
    if (expose === "agent") return [];
    const [{ renderServerInstructions }, said] = await Promise.all([
      import("./gateway/server-instructions.ts"),
      duet.gateway(caller).instructions(),
    ]);
    return said.length === 0 ? [] : [renderServerInstructions(said, locale)];
  }

  let exposure: Promise<(connection: HostConnection) => Capabilities> | undefined;
  return {
    runs: agent.runs,
    followResources(caller, uris, onUpdated) {
      const subscriptions = createResourceSubscriptions(duet.gateway(caller).subscribe, onUpdated);
      if (expose !== "agent") subscriptions.follow(0, uris);
      return subscriptions.close;
    },
    async createServer(
      caller = operator,
      isOneRequest = false,
      { inputEnded, sessionId, calledTool, onSubscriptions } = {},
    ) {
      const own = instructionsOf[expose].map((text) => say(locale, text)).join("\n");
      const instructions = [own, ...(await listServerInstructions(caller))].join("\n\n");
      const server = new SchemaServer({ name: "duet", title: "Duet", version }, { instructions }, locale);
      const connection: HostConnection = { server, caller, isOneRequest, inputEnded, sessionId };
      const providers: Capabilities[] = expose === "tools" ? [] : [agent.createCapabilities(connection)];
      if (expose !== "agent") {
        exposure ??= import("./gateway/create-exposure.ts").then((part) =>
          part.createExposure(duet, { listLimit, getBudget }),
        );
        providers.push((await exposure)(connection));
      }
      // A request of the 2026 era hears of nothing but itself.
      if (warnings && caller.owner === undefined && !isOneRequest) providers.push({ onLog: warnings.onLog });
      const subscriptions = serveCapabilities(server, providers);
      onSubscriptions?.(subscriptions);
      if (calledTool !== undefined) {
        const schema = await findFirst(providers, async ({ tools }) => tools?.findSchema?.(calledTool));
        if (schema !== undefined) server.setToolSchema(calledTool, schema);
      }
      return server;
    },
  };
}

const ofAgent = {
  zh: "Duet 是一个智能体：把完整的问题交给 agent_ask，它会自己选择并调用工具，返回带来源的回答。要继续同一话题，请传回 conversation_id。结果的状态为 running 时，用 agent_result 取得其余部分。",
  en: "Duet is an agent: give agent_ask a complete question; it chooses and calls tools by itself and returns an answer with its sources. To continue a topic, pass conversation_id back. When a result has the status running, agent_result returns the final one.",
};

const ofTools = {
  zh: "Duet 在这里提供它所连接的各 MCP 服务器的工具、提示词和资源，名称为 服务器__名称。",
  en: "Duet exposes the tools, prompts and resources of its MCP servers under names of the form server__name.",
};

const instructionsOf = { agent: [ofAgent], tools: [ofTools], both: [ofAgent, ofTools] };

/** Offers on this connection what the providers have, the first one's first, until it ends. */
export function serveCapabilities(
  server: McpServer,
  providers: readonly Capabilities[],
  limits = pageLimits,
): ResourceSubscriptions {
  const tools = providers.flatMap((provider) => provider.tools ?? []);
  const prompts = providers.flatMap((provider) => provider.prompts ?? []);
  const resources = providers.flatMap((provider) => provider.resources ?? []);
  const onInitialized = providers.map((provider) => () => provider.onInitialized?.());
  const stopLog = serveLog(server, providers, onInitialized);
  const announcements = announceChanges(server, providers);
  const changes = { listChanged: true };
  const { server: wire } = server;
  wire.oninitialized = () => {
    for (const begin of onInitialized) begin();
  };
  const canSubscribe = resources.some(({ subscribe }) => subscribe !== undefined);
  wire.registerCapabilities({
    ...{ tools: changes, prompts: changes, completions: {} },
    resources: { ...changes, ...(canSubscribe && { subscribe: true }) },
  });
  const subscriptions = createResourceSubscriptions(
    (uri, onUpdated, signal) => findFirst(resources, async (part) => part.subscribe?.(uri, onUpdated, signal)),
    (uri) => void ignoreRejection(wire.sendResourceUpdated({ uri }), "a host that has left hears of nothing"),
  );

  /** Is the host that asked last. What is listed depends on its capabilities. */
  let host: Host | undefined;

  async function listTools(signal?: AbortSignal): Promise<Tool[]> {
    return joinLists(await Promise.all(tools.map((part) => part.list(signal, host))), toName);
  }
  async function listPrompts(signal?: AbortSignal): Promise<Prompt[]> {
    return joinLists(await Promise.all(prompts.map((part) => part.list(signal))), ({ name }) => name);
  }
  async function listResources(signal?: AbortSignal): Promise<Resource[]> {
    return joinLists(await Promise.all(resources.map((part) => part.list(signal, host))), ({ uri }) => uri);
  }
  async function listTemplates(signal?: AbortSignal): Promise<ResourceTemplateType[]> {
    return joinLists(
      await Promise.all(resources.map((part) => part.templates(signal))),
      ({ uriTemplate }) => uriTemplate,
    );
  }

  wire.setRequestHandler("tools/list", async ({ params }, context) => {
    host = readHost(server, context);
    const all = await announcements.give("tools", listTools, context.mcpReq.signal);
    const { entries, nextCursor } = takePage("tools", all, { keyOf: toName, cursor: params?.cursor, limits });
    return { tools: entries, nextCursor };
  });
  wire.setRequestHandler("prompts/list", async ({ params }, { mcpReq }) => {
    const all = await announcements.give("prompts", listPrompts, mcpReq.signal);
    const { entries, nextCursor } = takePage("prompts", all, { keyOf: toName, cursor: params?.cursor, limits });
    return { prompts: entries, nextCursor };
  });
  wire.setRequestHandler("resources/list", async ({ params }, context) => {
    host = readHost(server, context);
    const all = await announcements.give("resources", listResources, context.mcpReq.signal);
    const { entries, nextCursor } = takePage("resources", all, { keyOf: toUri, cursor: params?.cursor, limits });
    return { resources: entries, nextCursor };
  });
  wire.setRequestHandler("resources/templates/list", async ({ params }, { mcpReq }) => {
    const all = await announcements.give("resources", listTemplates, mcpReq.signal);
    const { entries, nextCursor } = takePage("resource templates", all, {
      keyOf: toUriTemplate,
      cursor: params?.cursor,
      limits,
    });
    return { resourceTemplates: entries, nextCursor };
  });

  wire.setRequestHandler("tools/call", async ({ params: { name, arguments: args } }, context) => {
    const result = await findFirst(tools, (part) => part.call(name, args, context));
    if (result === undefined) throw missingError("Tool", name);
    return result;
  });
  wire.setRequestHandler("prompts/get", async ({ params: { name, arguments: args = {} } }, context) => {
    const result = await findFirst(prompts, (part) => part.get(name, args, context));
    if (result === undefined) throw missingError("Prompt", name);
    return result;
  });
  wire.setRequestHandler("resources/read", async ({ params: { uri } }, context) => {
    const result = await findFirst(resources, (part) => part.read(uri, context));
    if (result === undefined) throw new ResourceNotFoundError(uri.slice(0, longestUri));
    return result;
  });
  wire.setRequestHandler("completion/complete", async ({ params }, context) => {
    const result = await findFirst(providers, async (part) => part.complete?.(params, context));
    return result ?? { completion: { values: [], hasMore: false } };
  });

  if (canSubscribe) {
    wire.setRequestHandler("resources/subscribe", async ({ params: { uri } }, { mcpReq }) => {
      await subscriptions.subscribe(uri, mcpReq.signal);
      return {};
    });
    wire.setRequestHandler("resources/unsubscribe", ({ params: { uri } }) => {
      subscriptions.unsubscribe(uri);
      return {};
    });
  }

  wire.onclose = () => {
    announcements.close();
    subscriptions.close();
    stopLog();
    for (const provider of providers) provider.close?.();
  };
  return subscriptions;
}

/** Limits a URI in messages, in UTF-16 units. */
const longestUri = 1000;

/** If two entries have the same name, the first is kept. */
function joinLists<T>(lists: readonly T[][], nameOf: (entry: T) => string): T[] {
  const byName = new Map<string, T>();
  for (const entry of lists.flat()) if (!byName.has(nameOf(entry))) byName.set(nameOf(entry), entry);
  return [...byName.values()];
}

/** Returns the answer of the first provider that has one. */
async function findFirst<P, T>(parts: readonly P[], ask: (part: P) => Promise<T | undefined>): Promise<T | undefined> {
  for (const part of parts) {
    const found = await ask(part);
    if (found !== undefined) return found;
  }
  return undefined;
}

function toName({ name }: { name: string }): string {
  return name;
}

function toUri({ uri }: { uri: string }): string {
  return uri;
}

function toUriTemplate({ uriTemplate }: { uriTemplate: string }): string {
  return uriTemplate;
}

function missingError(what: "Tool" | "Prompt", name: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, `${what} ${name} not found`);
}
