import type { Context, Span, Tracer } from "@opentelemetry/api";
import type { Models } from "../../agent/run.ts";
import type { ServerStatus } from "../../client/server-connection.ts";
import type { AgentEvent } from "../../core/events.ts";
import type { Outcome } from "../../core/outcome.ts";
import type { Tool } from "../../core/tools/tool.ts";
import { version } from "../../kit/version.ts";
import { attribute, operation, toProviderName } from "./attribute-names.ts";
import { createCallSpans } from "./call-spans.ts";
import { createChatSpans } from "./chat-spans.ts";
import { toMessageAttribute } from "./messages.ts";
import { recordFailure, type SpanParent } from "./span-parent.ts";

/** What spans say of a run that its events do not. */
export interface FollowedRun {
  question: string;
  models: Models;
  tools: readonly Tool[];
  servers: readonly ServerStatus[];
  /** The trace that the run goes on with, 32 hexadecimal digits; absent where its caller has none. */
  callersTraceId?: string | undefined;
}

export interface SpanOptions extends FollowedRun {
  api: typeof import("@opentelemetry/api");
  tracer: Tracer;
  parent: Context;
  captureContent: boolean;
  /** When the run began, in milliseconds since the epoch. */
  at: number;
}

/** The spans of one run, made from its events: the run, and below it each model turn and each tool call. */
export interface RunSpans {
  readonly traceId: string;
  /** Whether anybody will see them. */
  readonly recording: boolean;
  /** `at` in milliseconds since the epoch. Throws what a foreign tracer throws. */
  handle(event: AgentEvent, at: number): void;
}

export function createRunSpans(options: SpanOptions): RunSpans {
  const { api, tracer, captureContent, tools, servers } = options;
  const root = tracer.startSpan(
    `${operation.agent} duet`,
    { kind: api.SpanKind.INTERNAL, startTime: options.at, attributes: agentAttributes(options) },
    options.parent,
  );
  const below = api.trace.setSpan(options.parent, root);
  const branch: SpanParent = { api, tracer, below, conversationId: "", captureContent };
  const chats = createChatSpans();
  const calls = createCallSpans(tools, servers);
  return {
    traceId: root.spanContext().traceId,
    recording: root.isRecording(),
    handle(event, at) {
      switch (event.type) {
        case "run-start":
          branch.conversationId = event.conversationId;
          return startRun(root, event);
        case "phase-start":
          return chats.start(branch, event, at);
        case "reasoning-delta":
          return chats.hear("reasoning", event.text, at);
        case "thought-delta":
        case "answer-delta":
          return chats.hear("text", event.text, at);
        case "phase-end":
          return chats.end(event, at);
        case "tool-start":
          return calls.start(branch, event, at);
        case "tool-end":
          return calls.end(event, at);
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

function agentAttributes({ models, question, captureContent }: SpanOptions) {
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
