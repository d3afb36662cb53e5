import type {
  CallToolResult,
  CompleteRequestParams,
  CompleteResult,
  GetPromptResult,
  InputRequiredResult,
  Prompt,
  ReadResourceResult,
  Resource,
  ResourceTemplateType,
  ServerContext,
  Tool,
} from "@modelcontextprotocol/server";
import type { List } from "../../app/tools/gateway.ts";
import type { ServerLogEntry, ServerLogLevel } from "../../core/server-log.ts";
import type { JsonSchema } from "../../kit/json.ts";
import type { Host } from "../../runs/input/host.ts";
import type { FollowResource } from "./resource-subscriptions.ts";

/**
 * Represents a part of what one connection offers its host: the agent itself, or what the downstream servers offer. A provider
 * returns undefined for what it does not have, and the next provider is asked.
 */
export interface Capabilities {
  readonly tools?: ToolCapability | undefined;
  readonly prompts?: PromptCapability | undefined;
  readonly resources?: ResourceCapability | undefined;
  /** Completes an argument of one of its prompts or templates. */
  complete?(params: CompleteRequestParams, context: ServerContext): Promise<CompleteResult | undefined>;
  /** Calls `listener` each time a list may have changed, until the returned function is called. */
  onChange?(listener: (list: List) => void): () => void;
  /** Calls `listener` for each line for the host's log that belongs to no request, until the returned function is called. */
  onLog?(listener: (entry: ServerLogEntry) => void): () => void;
  /** Says from which level on the host wants to read what servers log. */
  setLogLevel?(level: ServerLogLevel): void;
  /** Runs when a host of the 2025 era has begun its session. */
  onInitialized?(): void;
  /** Ends all work for a connection that has closed. */
  close?(): void;
}

export interface ToolCapability {
  /** Takes as `host` the host that requested the list last. */
  list(signal?: AbortSignal, host?: Host): Promise<Tool[]>;
  /** Takes `args` unchecked, as they came. Failures that a model can act on are returned as results. */
  call(name: string, args: unknown, context: ServerContext): Promise<CallToolResult | InputRequiredResult | undefined>;
  /** Returns the schema of a tool whose arguments may be mirrored in HTTP headers; absent where no tool has any. */
  findSchema?(name: string): Promise<JsonSchema | undefined>;
}

export interface PromptCapability {
  list(signal?: AbortSignal): Promise<Prompt[]>;
  get(
    name: string,
    args: Record<string, string>,
    context: ServerContext,
  ): Promise<GetPromptResult | InputRequiredResult | undefined>;
}

export interface ResourceCapability {
  list(signal?: AbortSignal, host?: Host): Promise<Resource[]>;
  templates(signal?: AbortSignal): Promise<ResourceTemplateType[]>;
  read(uri: string, context: ServerContext): Promise<ReadResourceResult | InputRequiredResult | undefined>;
  /** Is absent where nothing is told of changes of single resources. */
  subscribe?: FollowResource;
}
