import type { Outcome } from "../../core/outcome.ts";
import type { ErrorCode, ErrorReport, Locale } from "../../kit/errors.ts";
import { renderOutcome } from "../../render/step-writer.ts";
import { toRetryResponse } from "../http/response/again.ts";
import type { HttpRefusal } from "../http/response/dialects.ts";
import { type Annotation, type Finish, toAnnotations, toUsage, type WireUsage } from "./completion.ts";

/** How a run ended, in OpenAI's words. */
export interface CompletionEnd {
  /** What the reader must know beside the answer; empty where that is complete. */
  notice: string;
  annotations: Annotation[];
  finish: Finish;
  usage: WireUsage;
}

/** What a run came to; a refusal where it has no answer. */
export function toCompletionEnd(outcome: Outcome, locale: Locale): CompletionEnd | { failure: HttpRefusal } {
  const { status, response, meta } = outcome;
  if (status === "failed") return { failure: failureOf(outcome) };
  if (status === "cancelled" && response === "") return { failure: cancelled };
  return {
    notice: renderOutcome(outcome, locale).join("\n\n"),
    annotations: toAnnotations(outcome),
    finish: finishOf(outcome),
    usage: toUsage(Object.values(meta.models)),
  };
}

/** `length` says that there would be more; of a limit that came before the answer was written, the notice says it. */
function finishOf({ status, stop_reason: reason }: Outcome): Finish {
  if (status === "cancelled") return "length";
  if (status !== "partial") return "stop";
  if (reason === "refused") return "content_filter";
  return reason === "iteration_limit" || reason === "tool_call_limit" || reason === "repetition" ? "stop" : "length";
}

/** OpenAI's own clients go by it. */
const headers = { "x-should-retry": "false" };

function failureOf(outcome: Outcome): HttpRefusal {
  const { code, message, hint } = outcome.error ?? unexplained;
  const same = (text: string) => ({ zh: text, en: text });
  const told = { error: code, text: same(message), hint: hint ? same(hint) : undefined };
  return { status: statuses[code] ?? 424, headers, ...told, ...toRetryResponse(outcome) };
}

const unexplained: ErrorReport = { code: "internal", message: "the run failed", hint: null };

/**
 * A run is not begun again by itself: what could be tried anew was, and it has cost something. So all else but what is worth
 * asking again at a known time is 424, "failed dependency": clients repeat 408, 409, 429 and what is from 500 on (`openai` and the AI SDK both), and 401 and 403 would say that
 * the client's key is wrong.
 */
const statuses: Readonly<Partial<Record<ErrorCode, number>>> = {
  invalid_request: 400,
  context_overflow: 400,
  content_filter: 400,
};

/** 499 as proxies write it: whoever asked, or the operator, has stopped it. */
const cancelled: HttpRefusal = {
  status: 499,
  error: "internal",
  openAiCode: "cancelled",
  text: { zh: "已取消。", en: "Cancelled." },
  headers,
};
