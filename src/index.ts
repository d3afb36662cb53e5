// The entry for programs that embed Duet: `import { createDuet } from "duet-mcp"`.
import type { EmbeddedDuet } from "./app/create-duet.ts";
import type { DuetOptions } from "./app/duet-options.ts";
import type { ConversationStore } from "./core/store/store.ts";

export type { EvaluatedResult, Evaluation, EvaluationFacts, Evaluator } from "./agent/loop/evaluator.ts";
export type { AskOptions } from "./app/ask/ask-options.ts";
export type { GivenTurn } from "./app/ask/ask-request.ts";
export type { LimitChanges } from "./app/ask/merge-limits.ts";
export type { EmbeddedDuet } from "./app/create-duet.ts";
export type { DuetOptions } from "./app/duet-options.ts";
export type { ModelOption } from "./app/models/model-options.ts";
export type { EarlierModel, EarlierModelEvent } from "./app/models/user-model.ts";
export type { Attachment } from "./core/attachment.ts";
export type { AskElicitation, Elicitation, ElicitationReply } from "./core/forms/elicitation.ts";
export { toPlainText } from "./core/model/message-content.ts";
export type {
  AssistantMessage,
  ContentPart,
  FilePart,
  FileReader,
  ImagePart,
  Message,
  MessageContent,
  StoredFile,
  TextPart,
  TextPhase,
  ToolCall,
} from "./core/model/messages.ts";
export {
  type FinishReason,
  type Model,
  type ModelCapabilities,
  type ModelEvent,
  type ModelRequest,
  type OnModelEvent,
  supportsFunctionCalling,
  type ToolDefinition,
  type Turn,
  type Usage,
} from "./core/model/model.ts";
export type { PlanReply } from "./core/questions/plan-reply.ts";
export type { ConfirmPlan } from "./core/questions/user.ts";
export type { AgentEvent, PlanStep } from "./core/run/events.ts";
export type { Citation, Mode, Outcome, Status, StopReason, ToolCallRecord } from "./core/run/outcome.ts";
export type { AgentTrace, TraceStep } from "./core/run/trace.ts";
export type { NumberedSource } from "./core/sources.ts";
export type { Conversation, ConversationTurn, SourceList, Summary } from "./core/store/conversations/conversation.ts";
export type { ConversationEntry, RunEntry } from "./core/store/conversations/entries.ts";
export type {
  EarlierIdempotencyRecords as BegunRuns,
  IdempotencyRecord,
  IdempotencyRecord as BegunRun,
  IdempotencyRecords,
  NewIdempotencyRecord,
  NewIdempotencyRecord as WantedMark,
} from "./core/store/idempotency-records.ts";
export type { ConversationStore, FinishedRun } from "./core/store/store.ts";
export type {
  Approval,
  ApprovalRequest,
  ApproveCall,
  Permission,
  Source,
  Tool,
  ToolAnnotations,
} from "./core/tools/tool.ts";
export { DuetError, type ErrorCode, type ErrorDetails, type ErrorReport } from "./kit/errors.ts";
export type { JsonObject, JsonSchema, JsonValue } from "./kit/json.ts";
export type { Locale, Text } from "./kit/locale.ts";
export {
  type UserTool as OwnTool,
  type UserToolContext as OwnToolContext,
  withTypes as defineTool,
} from "./tools/user-tool.ts";

/**
 * Makes an agent. Keys come from the environment as on the command line (`DEEPSEEK_API_KEY` ...). Throws a `DuetError`
 * of code `config` with a line for each fault, which names the option, the value and what is allowed.
 */
export async function createDuet(options: DuetOptions = {}): Promise<EmbeddedDuet> {
  // Imported when it is called: tool modules, which need `defineTool` alone, load this file too, each in a thread of its own.
  const { createDuet: create } = await import("./app/create-duet.ts");
  return create(options);
}

/**
 * Keeps conversations in PostgreSQL, for `store` of `createDuet`: any number of programs may share the database. Whoever opens it closes
 * it. `url` is `postgres://user@host:port/database`. Rejects with a `DuetError` that says what is wrong with the database.
 */
export async function openPostgresStore(url: string): Promise<ConversationStore> {
  const { createPostgresStore } = await import("./store/postgres/postgres-store.ts");
  return createPostgresStore(url);
}
