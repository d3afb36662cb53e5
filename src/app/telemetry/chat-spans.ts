import type { Span } from "@opentelemetry/api";
import type { AgentEvent, PhaseEnd } from "../../core/events.ts";
import { attribute, operation, toProviderName } from "./attribute-names.ts";
import { type MessagePart, toMessageAttribute } from "./messages.ts";
import { recordFailure, type SpanParent } from "./span-parent.ts";

/** The spans of a run's model turns, one after another. Times are milliseconds since the epoch. */
export interface ChatSpans {
  start(branch: SpanParent, event: Extract<AgentEvent, { type: "phase-start" }>, at: number): void;
  /** A piece of what the model says. */
  hear(type: MessagePart["type"], text: string, at: number): void;
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
    hear(type, text, at) {
      if (open === undefined) return;
      if (!open.hasBegun) open.span.setAttribute(attribute.timeToFirstChunk, (at - open.startedAt) / 1000);
      open.hasBegun = true;
      if (open.branch.captureContent) append(open.parts, type, text);
    },
    end(event, at) {
      if (open === undefined) return;
      const { branch, span, parts } = open;
      open = undefined;
      const finish = event.finish?.replace("-", "_");
      span.setAttributes({
        ...usageAttributes(event),
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

function append(parts: MessagePart[], type: MessagePart["type"], text: string): void {
  const last = parts.at(-1);
  if (last?.type === type) last.content += text;
  else parts.push({ type, content: text });
}

function usageAttributes({ usage, costUsd }: PhaseEnd) {
  return {
    [attribute.inputTokens]: usage.inputTokens,
    [attribute.outputTokens]: usage.outputTokens,
    [attribute.reasoningTokens]: usage.reasoningTokens,
    [attribute.cacheReadTokens]: usage.cachedTokens,
    [attribute.cacheCreationTokens]: usage.cacheWriteTokens,
    [attribute.costUsd]: costUsd ?? undefined,
  };
}
