import type { Context, Span, Tracer } from "@opentelemetry/api";
import { attribute } from "./attribute-names.ts";

/** Holds what the spans below a run's own span have in common. */
export interface SpanParent {
  api: typeof import("@opentelemetry/api");
  tracer: Tracer;
  /** Has the run's span in it. */
  below: Context;
  conversationId: string;
  captureContent: boolean;
}

/** Marks the span as failed, with a word of few for its kind of error; what a vendor says of it may quote the prompt. */
export function recordFailure(
  { api, captureContent }: Pick<SpanParent, "api" | "captureContent">,
  span: Span,
  type: string,
  words?: string,
): void {
  span.setAttribute(attribute.errorType, type);
  span.setStatus({ code: api.SpanStatusCode.ERROR, message: captureContent ? words : type });
}
