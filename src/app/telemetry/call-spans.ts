import type { Span } from "@opentelemetry/api";
import type { ServerStatus } from "../../client/server-connection.ts";
import type { AgentEvent, ToolEnd } from "../../core/events.ts";
import type { ToolCallRecord } from "../../core/outcome.ts";
import { createRecordFinder } from "../../core/tools/call-records.ts";
import type { Tool } from "../../core/tools/tool.ts";
import type { JsonValue } from "../../kit/json.ts";
import { attribute, operation } from "./attribute-names.ts";
import { toToolAttributes } from "./mcp-attributes.ts";
import { recordFailure, type SpanParent } from "./span-parent.ts";

/** The spans of a run's tool calls, side by side. Times are milliseconds since the epoch. */
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
