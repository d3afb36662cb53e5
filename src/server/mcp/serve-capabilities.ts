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
import { type Host, readHost } from "../../runs/input/host.ts";
import { announceChanges } from "./announce-changes.ts";
import type { Capabilities } from "./capabilities.ts";

/** Offers on this connection what the providers have, the first one's first, until it ends. */
export function serveCapabilities(server: McpServer, providers: readonly Capabilities[]): void {
  const tools = providers.flatMap((provider) => provider.tools ?? []);
  const prompts = providers.flatMap((provider) => provider.prompts ?? []);
  const resources = providers.flatMap((provider) => provider.resources ?? []);
  const announcements = announceChanges(server, providers);
  const changes = { listChanged: true };
  const { server: wire } = server;
  wire.registerCapabilities({ tools: changes, prompts: changes, resources: changes, completions: {}, logging: {} });

  /** Whoever asked last: what is listed follows from what it can do. */
  let host: Host | undefined;

  async function listTools(signal?: AbortSignal): Promise<Tool[]> {
    return joined(await Promise.all(tools.map((part) => part.list(signal, host))), ({ name }) => name);
  }
  async function listPrompts(signal?: AbortSignal): Promise<Prompt[]> {
    return joined(await Promise.all(prompts.map((part) => part.list(signal))), ({ name }) => name);
  }
  async function listResources(signal?: AbortSignal): Promise<Resource[]> {
    return joined(await Promise.all(resources.map((part) => part.list(signal, host))), ({ uri }) => uri);
  }
  async function listTemplates(signal?: AbortSignal): Promise<ResourceTemplateType[]> {
    return joined(await Promise.all(resources.map((part) => part.templates(signal))), ({ uriTemplate }) => uriTemplate);
  }

  wire.setRequestHandler("tools/list", async ({ params }, context) => {
    refuseCursor(params);
    host = readHost(server, context);
    return { tools: await announcements.give("tools", listTools, context.mcpReq.signal) };
  });
  wire.setRequestHandler("prompts/list", async ({ params }, { mcpReq }) => {
    refuseCursor(params);
    return { prompts: await announcements.give("prompts", listPrompts, mcpReq.signal) };
  });
  wire.setRequestHandler("resources/list", async ({ params }, context) => {
    refuseCursor(params);
    host = readHost(server, context);
    return { resources: await announcements.give("resources", listResources, context.mcpReq.signal) };
  });
  wire.setRequestHandler("resources/templates/list", async ({ params }, { mcpReq }) => {
    refuseCursor(params);
    return { resourceTemplates: await announcements.give("resources", listTemplates, mcpReq.signal) };
  });

  wire.setRequestHandler("tools/call", async ({ params: { name, arguments: args } }, context) => {
    const result = await first(tools, (part) => part.call(name, args, context));
    if (result === undefined) throw missing("Tool", name);
    return result;
  });
  wire.setRequestHandler("prompts/get", async ({ params: { name, arguments: args = {} } }, context) => {
    const result = await first(prompts, (part) => part.get(name, args, context));
    if (result === undefined) throw missing("Prompt", name);
    return result;
  });
  wire.setRequestHandler("resources/read", async ({ params: { uri } }, context) => {
    const result = await first(resources, (part) => part.read(uri, context));
    if (result === undefined) throw new ResourceNotFoundError(uri.slice(0, longestUri));
    return result;
  });
  wire.setRequestHandler("completion/complete", async ({ params }, context) => {
    const result = await first(providers, async (part) => part.complete?.(params, context));
    return result ?? { completion: { values: [], hasMore: false } };
  });

  wire.onclose = () => {
    announcements.close();
    for (const provider of providers) provider.close?.();
  };
}

/** Of an address that is shown, in UTF-16 units. */
const longestUri = 1000;

/** Of two with one name the first stays. */
function joined<T>(lists: readonly T[][], nameOf: (entry: T) => string): T[] {
  const byName = new Map<string, T>();
  for (const entry of lists.flat()) if (!byName.has(nameOf(entry))) byName.set(nameOf(entry), entry);
  return [...byName.values()];
}

/** What the first gives that has it. */
async function first<P, T>(parts: readonly P[], ask: (part: P) => Promise<T | undefined>): Promise<T | undefined> {
  for (const part of parts) {
    const found = await ask(part);
    if (found !== undefined) return found;
  }
  return undefined;
}

function missing(what: "Tool" | "Prompt", name: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, `${what} ${name} not found`);
}

/** Each list is one page: no cursor was ever given out. */
function refuseCursor(params: { cursor?: string | undefined } | undefined): void {
  if (params?.cursor === undefined) return;
  const shown = JSON.stringify(params.cursor.slice(0, 100));
  throw new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    `Unknown cursor ${shown} (allowed: none, each list is one page)`,
  );
}
