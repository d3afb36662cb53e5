import type { Attributes, Context, Span, Tracer } from "@opentelemetry/api";
import type { Models } from "../../agent/run.ts";
import type { ServerStatus } from "../../client/server-connection.ts";
import type { ModelRequest, Turn } from "../../core/model/model.ts";
import type { AgentEvent, PhaseEnd, ToolEnd } from "../../core/run/events.ts";
import type { Outcome, ToolCallRecord } from "../../core/run/outcome.ts";
import { createRecordFinder } from "../../core/tools/call-records.ts";
import type { Tool } from "../../core/tools/tool.ts";
import type { JsonValue } from "../../kit/json.ts";
import { version } from "../../kit/version.ts";
import { attribute, operation, toProviderName } from "./attribute-names.ts";
import { type MessagePart, toMessageAttribute, toOutputParts, toRequestAttributes } from "./message-attributes.ts";
import { recordFailure, type SpanParent } from "./span-parent.ts";

/** Holds what spans record of a run beyond its events. */
export interface FollowedRun {
  question: string;
  models: Models;
  tools: readonly Tool[];
  servers: readonly ServerStatus[];
  /** Is the trace that the run continues, as 32 hexadecimal digits. It is undefined when the caller has none. */
  callersTraceId?: string | undefined;
}

export interface SpanOptions extends FollowedRun {
  api: typeof import("@opentelemetry/api");
  tracer: Tracer;
  parent: Context;
  captureContent: boolean;
  /** Holds when the run began, in milliseconds since the epoch. */
  at: number;
}

/** Creates the spans of one run from its events: the run, and below it each model turn and each tool call. */
export interface RunSpans {
  readonly traceId: string;
  /** Is true when the spans are recorded. */
  readonly recording: boolean;
  /** Takes `at` in milliseconds since the epoch. Throws what a foreign tracer throws. */
  handle(event: AgentEvent, at: number): void;
  /** Takes what a model is asked, and what it has written, within its phase. Only spans with content want it. */
  handleRequest(request: ModelRequest): void;
  handleTurn(turn: Turn): void;
}

export function createRunSpans(options: SpanOptions): RunSpans {
  const { api, tracer, captureContent, tools, servers } = options;
  const root = tracer.startSpan(
    `${operation.agent} duet`,
    { kind: api.SpanKind.INTERNAL, startTime: options.at, attributes: toAgentAttributes(options) },
    options.parent,
  );
  const below = api.trace.setSpan(options.parent, root);
  const branch: SpanParent = { api, tracer, below, conversationId: "", captureContent };
  const chats = createChatSpans();
  const calls = createCallSpans(tools, servers);
  return {
    traceId: root.spanContext().traceId,
    recording: root.isRecording(),
    handleRequest: chats.addRequest,
    handleTurn: chats.addTurn,
    handle(event, at) {
      switch (event.type) {
        case "run-start":
          branch.conversationId = event.conversationId;
          return startRun(root, event);
        case "phase-start":
          return chats.start(branch, event, at);
        case "reasoning-delta":
          return chats.addMessagePart("reasoning", event.text, at);
        case "thought-delta":
        case "answer-delta":
          return chats.addMessagePart("text", event.text, at);
        case "phase-end":
          return chats.end(event, at);
        case "tool-start":
          return calls.start(branch, event, at);
        case "tool-end":
          return calls.end(event, at);
        case "answer-restart":
          return void root.addEvent("duet.answer_restart", {}, at);
        case "evaluation":
          return void root.addEvent("duet.evaluation", { verdict: event.verdict, reason: event.reason }, at);
        case "notice":
          return void root.addEvent("duet.notice", { level: event.level, code: event.code }, at);
        case "run-end":
          chats.close(at);
          calls.close(event.outcome.tool_calls, at);
          return endRun(root, branch, event.outcome, at);
        default:
          return;
      }
    },
  };
}

function toAgentAttributes({ models, question, captureContent }: SpanOptions) {
  return {
    [attribute.operation]: operation.agent,
    [attribute.provider]: toProviderName(models.answer.provider),
    [attribute.agentName]: "duet",
    [attribute.agentVersion]: version,
    [attribute.inputMessages]: captureContent
      ? toMessageAttribute("user", [{ type: "text", content: question }])
      : undefined,
  };
}

function startRun(root: Span, event: Extract<AgentEvent, { type: "run-start" }>): void {
  root.setAttributes({
    [attribute.conversation]: event.conversationId,
    [attribute.runId]: event.runId,
    [attribute.mode]: event.mode,
  });
}

function endRun(
  root: Span,
  branch: SpanParent,
  { status, stop_reason, meta, error, response }: Outcome,
  at: number,
): void {
  const answer = toMessageAttribute("assistant", [{ type: "text", content: response }]);
  // No `gen_ai.usage` here: who adds up the spans would count every token twice.
  root.setAttributes({
    [attribute.status]: status,
    [attribute.stopReason]: stop_reason,
    [attribute.iterations]: meta.iterations,
    [attribute.toolCalls]: meta.tool_calls_count,
    [attribute.totalTokens]: meta.total_tokens,
    [attribute.costUsd]: meta.cost_usd ?? undefined,
    [attribute.outputMessages]: branch.captureContent ? answer : undefined,
  });
  if (status === "failed") recordFailure(branch, root, error?.code ?? stop_reason, error?.message);
  else if (status === "cancelled") root.setAttribute(attribute.errorType, status);
  root.end(at);
}

/** Creates the spans of a run's tool calls, which may overlap. Times are milliseconds since the epoch. */
export interface CallSpans {
  start(branch: SpanParent, event: Extract<AgentEvent, { type: "tool-start" }>, at: number): void;
  end(event: ToolEnd, at: number): void;
  /** Ends what is still open, and what waited for its whole result. */
  close(records: readonly ToolCallRecord[], at: number): void;
}

interface Call {
  branch: SpanParent;
  span: Span;
  tool: string;
  args: JsonValue;
  endedAt?: number;
}

export function createCallSpans(tools: readonly Tool[], servers: readonly ServerStatus[]): CallSpans {
  const calls = new Map<string, Call>();
  return {
    start(branch, { callId, step, tool, arguments: args }, at) {
      const attributes = {
        ...toToolAttributes(tool, tools, servers),
        [attribute.operation]: operation.tool,
        [attribute.conversation]: branch.conversationId,
        [attribute.toolCallId]: callId,
        [attribute.step]: step,
        [attribute.toolArguments]: branch.captureContent ? JSON.stringify(args) : undefined,
      };
      const options = { kind: branch.api.SpanKind.INTERNAL, startTime: at, attributes };
      const span = branch.tracer.startSpan(`${operation.tool} ${tool}`, options, branch.below);
      calls.set(callId, { branch, span, tool, args });
    },
    end({ callId, ok, cached, error }, at) {
      const call = calls.get(callId);
      if (call === undefined) return;
      const { branch, span } = call;
      span.setAttribute(attribute.cached, cached);
      // MCP's own word for a tool that says that it failed.
      if (!ok) recordFailure(branch, span, error === undefined || error.code === "tool" ? "tool_error" : error.code);
      call.endedAt = at;
      // The whole result comes with the end of the run.
      if (branch.captureContent) return;
      span.end(at);
      calls.delete(callId);
    },
    close(records, at) {
      const find = createRecordFinder(records);
      for (const { branch, span, tool, args, endedAt } of calls.values()) {
        const result = find(tool, args)?.result;
        if (branch.captureContent && result !== undefined) span.setAttribute(attribute.toolResult, result);
        span.end(endedAt ?? at);
      }
      calls.clear();
    },
  };
}

/**
 * Returns what a call's span records of its tool. For a tool of a downstream server it includes what the MCP conventions
 * require.
 */
export function toToolAttributes(name: string, tools: readonly Tool[], servers: readonly ServerStatus[]): Attributes {
  const tool = tools.find((known) => known.name === name);
  const server = servers.find((known) => known.name === tool?.source);
  return {
    [attribute.toolName]: name,
    [attribute.toolType]: server ? "extension" : "function",
    [attribute.toolDescription]: tool?.description,
    ...(server && toMcpAttributes(server)),
  };
}

function toMcpAttributes({ name, transport, protocolVersion }: ServerStatus): Attributes {
  return {
    [attribute.mcpMethod]: "tools/call",
    [attribute.mcpProtocolVersion]: protocolVersion ?? undefined,
    [attribute.networkTransport]: transport === "stdio" ? "pipe" : "tcp",
    [attribute.server]: name,
  };
}

/** Creates the spans of a run's model turns, one after another. Times are milliseconds since the epoch. */
export interface ChatSpans {
  start(branch: SpanParent, event: Extract<AgentEvent, { type: "phase-start" }>, at: number): void;
  /** Adds a piece of the model's output. */
  addMessagePart(type: TextPart["type"], text: string, at: number): void;
  addRequest(request: ModelRequest): void;
  /** Adds the whole output, which takes the place of its pieces. */
  addTurn(turn: Turn): void;
  end(event: PhaseEnd, at: number): void;
  /** Ends what was left open. */
  close(at: number): void;
}

interface Chat {
  branch: SpanParent;
  span: Span;
  startedAt: number;
  hasBegun: boolean;
  parts: MessagePart[];
}

type TextPart = Extract<MessagePart, { content: string }>;

export function createChatSpans(): ChatSpans {
  let open: Chat | undefined;
  return {
    start(branch, { phase, step, model }, at) {
      const slash = model.indexOf("/");
      const name = model.slice(slash + 1);
      const attributes = {
        [attribute.operation]: operation.chat,
        [attribute.provider]: toProviderName(model.slice(0, slash)),
        [attribute.requestModel]: name,
        [attribute.requestStream]: true,
        [attribute.conversation]: branch.conversationId,
        [attribute.phase]: phase,
        [attribute.step]: step,
      };
      const options = { kind: branch.api.SpanKind.CLIENT, startTime: at, attributes };
      const span = branch.tracer.startSpan(`${operation.chat} ${name}`, options, branch.below);
      open = { branch, span, startedAt: at, hasBegun: false, parts: [] };
    },
    addMessagePart(type, text, at) {
      if (open === undefined) return;
      if (!open.hasBegun) open.span.setAttribute(attribute.timeToFirstChunk, (at - open.startedAt) / 1000);
      open.hasBegun = true;
      if (open.branch.captureContent) append(open.parts, type, text);
    },
    addRequest(request) {
      if (open?.branch.captureContent) open.span.setAttributes(toRequestAttributes(request));
    },
    addTurn({ message }) {
      if (open?.branch.captureContent) open.parts = toOutputParts(message);
    },
    end(event, at) {
      if (open === undefined) return;
      const { branch, span, parts } = open;
      open = undefined;
      const finish = event.finish?.replace("-", "_");
      span.setAttributes({
        ...toUsageAttributes(event),
        [attribute.finishReasons]: finish && [finish],
        [attribute.outputMessages]: parts.length > 0 ? toMessageAttribute("assistant", parts, finish) : undefined,
      });
      if (event.error) recordFailure(branch, span, event.error);
      span.end(at);
    },
    close(at) {
      open?.span.end(at);
      open = undefined;
    },
  };
}

function append(parts: MessagePart[], type: TextPart["type"], text: string): void {
  const last = parts.at(-1);
  if (last?.type === type && "content" in last) last.content += text;
  else parts.push({ type, content: text });
}

function toUsageAttributes({ usage, costUsd }: PhaseEnd) {
  return {
    [attribute.inputTokens]: usage.inputTokens,
    [attribute.outputTokens]: usage.outputTokens,
    [attribute.reasoningTokens]: usage.reasoningTokens,
    [attribute.cacheReadTokens]: usage.cachedTokens,
    [attribute.cacheCreationTokens]: usage.cacheWriteTokens,
    [attribute.costUsd]: costUsd ?? undefined,
  };
}
