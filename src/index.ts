// The door for programs that embed Duet: `import { createDuet } from "duet-mcp"`.
import type { EmbeddedDuet } from "./app/create-duet.ts";
import type { DuetOptions } from "./app/duet-options.ts";

export type { Conversation, ConversationTurn, Summary } from "./agent/conversation.ts";
export type { EvaluatedResult, Evaluation, EvaluationFacts, Evaluator } from "./agent/evaluator.ts";
export type { ConfirmPlan } from "./agent/plan-reply.ts";
export type { SourceList } from "./agent/sources.ts";
export type { BegunRun, BegunRuns, WantedMark } from "./agent/store/begun.ts";
export type { ConversationEntry, ConversationStore, FinishedRun, RunEntry } from "./agent/store.ts";
export type { AskOptions } from "./app/ask-options.ts";
export type { EmbeddedDuet } from "./app/create-duet.ts";
export type { DuetOptions } from "./app/duet-options.ts";
export type { LimitChanges } from "./app/limits.ts";
export type { ModelOption } from "./app/model-options.ts";
export type { AskElicitation, Elicitation, ElicitationReply } from "./core/elicitation.ts";
export { DuetError, type ErrorCode, type ErrorDetails, type ErrorReport } from "./core/errors.ts";
export type { AgentEvent, PlanStep } from "./core/events.ts";
export type { JsonObject, JsonSchema, JsonValue } from "./core/json.ts";
export type { Locale, Text } from "./core/locale.ts";
export type { AssistantMessage, Message, ToolCall } from "./core/messages.ts";
export type { FinishReason, Model, ModelEvent, ModelRequest, ToolDefinition, Turn, Usage } from "./core/model.ts";
export type { Citation, Mode, Outcome, Status, StopReason, ToolCallRecord } from "./core/outcome.ts";
export type { Approval, ApprovalRequest, ApproveCall, Permission } from "./core/permission.ts";
export type { PlanReply } from "./core/plan-reply.ts";
export type { NumberedSource } from "./core/sources.ts";
export type { Source, Tool, ToolAnnotations } from "./core/tool.ts";
export type { AgentTrace, TraceStep } from "./core/trace.ts";
export { type OwnTool, type OwnToolContext, withTypes as defineTool } from "./tools/own.ts";

/**
 * Makes an agent. Keys come from the environment as on the command line (`DEEPSEEK_API_KEY` ...). Throws a `DuetError`
 * of code `config`, one line that names the option, the value and what is allowed.
 */
export async function createDuet(options: DuetOptions = {}): Promise<EmbeddedDuet> {
  // Imported when it is called: tool modules, which need `defineTool` alone, load this file too, each in a thread of its own.
  const { createDuet: create } = await import("./app/create-duet.ts");
  return create(options);
}
