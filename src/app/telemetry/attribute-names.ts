import { getOwnValue } from "../../kit/json.ts";
import { vendors } from "../../providers/vendors.ts";

/**
 * Attributes of spans and metrics, by the conventions for GenAI and MCP (https://github.com/open-telemetry/semantic-conventions-genai,
 * November 2026, still in development) and our own under `duet.`. Kept in one place because the conventions still move.
 */
export const attribute = {
  operation: "gen_ai.operation.name",
  provider: "gen_ai.provider.name",
  conversation: "gen_ai.conversation.id",
  errorType: "error.type",

  agentName: "gen_ai.agent.name",
  agentVersion: "gen_ai.agent.version",

  requestModel: "gen_ai.request.model",
  requestStream: "gen_ai.request.stream",
  finishReasons: "gen_ai.response.finish_reasons",
  /** Is in seconds. */
  timeToFirstChunk: "gen_ai.response.time_to_first_chunk",
  inputTokens: "gen_ai.usage.input_tokens",
  outputTokens: "gen_ai.usage.output_tokens",
  reasoningTokens: "gen_ai.usage.reasoning.output_tokens",
  cacheReadTokens: "gen_ai.usage.cache_read.input_tokens",
  cacheCreationTokens: "gen_ai.usage.cache_creation.input_tokens",
  tokenType: "gen_ai.token.type",

  toolName: "gen_ai.tool.name",
  toolType: "gen_ai.tool.type",
  toolCallId: "gen_ai.tool.call.id",
  toolDescription: "gen_ai.tool.description",

  mcpMethod: "mcp.method.name",
  mcpProtocolVersion: "mcp.protocol.version",
  networkTransport: "network.transport",

  systemInstructions: "gen_ai.system_instructions",
  toolDefinitions: "gen_ai.tool.definitions",
  inputMessages: "gen_ai.input.messages",
  outputMessages: "gen_ai.output.messages",
  toolArguments: "gen_ai.tool.call.arguments",
  toolResult: "gen_ai.tool.call.result",

  runId: "duet.run.id",
  mode: "duet.mode",
  status: "duet.status",
  stopReason: "duet.stop_reason",
  iterations: "duet.iterations",
  toolCalls: "duet.tool_calls",
  totalTokens: "duet.total_tokens",
  costUsd: "duet.cost_usd",
  phase: "duet.phase",
  step: "duet.step",
  cached: "duet.cached",
  server: "duet.mcp.server",
} as const;

export const operation = { agent: "invoke_agent", chat: "chat", tool: "execute_tool" } as const;

/** Converts our name of a provider to the one in the conventions, where they define one. */
export function toProviderName(provider: string): string {
  return getOwnValue(vendors, provider)?.telemetryName ?? provider;
}
