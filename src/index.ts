// The door for programs that embed Duet: `import { createDuet } from "duet-mcp"`.
export type { Conversation, ConversationTurn } from "./agent/conversation.ts";
export type { Evaluation, EvaluationFacts, Evaluator } from "./agent/evaluator.ts";
export type { ConfirmPlan, PlanReply } from "./agent/plan-reply.ts";
export type { ConversationEntry, ConversationStore } from "./agent/store.ts";
export {
  type AskOptions,
  createDuet,
  type DuetOptions,
  type EmbeddedDuet,
  type ModelOption,
} from "./app/create-duet.ts";
export { DuetError } from "./core/errors.ts";
export type { AgentEvent, PlanStep } from "./core/events.ts";
export type { JsonObject, JsonValue } from "./core/json.ts";
export type { Message } from "./core/messages.ts";
export type { Model, ModelEvent, ModelRequest, Turn, Usage } from "./core/model.ts";
export type { Outcome } from "./core/outcome.ts";
export type { Tool } from "./core/tool.ts";
export type { AgentTrace } from "./core/trace.ts";
export { type OwnTool, type OwnToolContext, withTypes as defineTool } from "./tools/own.ts";
