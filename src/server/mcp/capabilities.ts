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
import type { List } from "../../app/open-duet.ts";
import type { Host } from "../../runs/input/host.ts";

/**
 * A part of what one connection offers its host: the agent itself, or what the servers below offer. What a provider does not have it
 * answers with undefined, and the next one is asked.
 */
export interface Capabilities {
  readonly tools?: ToolCapability | undefined;
  readonly prompts?: PromptCapability | undefined;
  readonly resources?: ResourceCapability | undefined;
  /** Completes an argument of one of its prompts or templates. */
  complete?(params: CompleteRequestParams, context: ServerContext): Promise<CompleteResult | undefined>;
  /** `listener` is told of a list that may have changed, each time; until the function that it gives is called. */
  onChange?(listener: (list: List) => void): () => void;
  /** The connection is over: ends all work for it. */
  close?(): void;
}

export interface ToolCapability {
  /** `host` is whoever asked for the list last. */
  list(signal?: AbortSignal, host?: Host): Promise<Tool[]>;
  /** `args` as they came, unchecked. Failures that a model can act on are results. */
  call(name: string, args: unknown, context: ServerContext): Promise<CallToolResult | InputRequiredResult | undefined>;
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
}
