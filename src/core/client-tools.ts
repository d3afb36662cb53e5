import type { JsonSchema } from "../kit/json.ts";
import type { ToolChoice } from "./model/model.ts";
import type { Tool, ToolResult } from "./tools/tool.ts";

/** Describes a tool that the program which asks runs itself. */
export interface ClientToolDefinition {
  /** Is unique among the program's tools. It may be one that vendors do not take: what speaks to them makes it fit. */
  name: string;
  description: string;
  inputSchema: JsonSchema;
}

/** Represents a call that the asking program is to make. */
export interface ClientToolCall {
  /** Is unique, so that the program's reply finds the run. */
  id: string;
  name: string;
  /** Is the JSON of the arguments. */
  argumentsText: string;
}

/** Represents what the asking program's tool has returned. */
export interface ClientToolResult {
  callId: string;
  text: string;
  isError: boolean;
  /** Holds the bytes of images in the result. */
  images?: readonly Uint8Array[] | undefined;
}

/** Holds what the asking program replies to calls, and what it wants from then on. */
export interface ClientReply {
  /** A call without a result is told to the model as missing. */
  results: readonly ClientToolResult[];
  /** Applies to the next turn of the model. */
  toolChoice: ToolChoice | undefined;
  /** Replaces the tools of the program. */
  tools: ClientTools;
  /** Replaces the program's instruction for all answers. */
  instruction: string | undefined;
  /** Lists what the user has said beside the results. */
  messages: readonly string[];
}

/** Hands calls to the asking program, and resolves with its reply. Where it rejects before the signal aborts, the model reads why. */
export type CallClient = (calls: readonly ClientToolCall[], signal: AbortSignal) => Promise<ClientReply>;

/** Holds the tools of the program that asks, as tools of a run. What the model calls of them is held until all can be handed over. */
export interface ClientTools {
  readonly tools: readonly Tool[];
  /** Returns the calls that are held, and forgets them. */
  takePending(): readonly PendingCall[];
}

export interface PendingCall {
  call: ClientToolCall;
  settle(result: ToolResult): void;
}

/** Holds what a program's earlier turn of a model has asked of the program's tools, with the results, as the program keeps them. */
export interface GivenStep {
  /** Is what the model said beside the calls. */
  text: string;
  calls: readonly ClientToolCall[];
  results: readonly ClientToolResult[];
  /** Lists what the user said after the results. */
  messages: readonly string[];
}
