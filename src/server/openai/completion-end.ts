import { stoppingLimits } from "../../core/limits.ts";
import type { Outcome } from "../../core/outcome.ts";
import type { ErrorCode, ErrorReport } from "../../kit/errors.ts";
import type { Locale } from "../../kit/locale.ts";
import { renderOutcome } from "../../render/step-writer.ts";
import type { HttpRefusal } from "../http/response/dialects.ts";
import { toRetryResponse } from "../http/response/refusal.ts";
import { type Annotation, type Finish, toAnnotations, toUsage, type WireUsage } from "./completion.ts";

/** Describes how a run ended, in OpenAI's terms. */
export interface CompletionEnd {
  /** Holds what the reader must know beside the answer, and is empty when the answer is complete. */
  notice: string;
  annotations: Annotation[];
  finish: Finish;
  usage: WireUsage;
  /** Holds the notices of the result, which OpenAI's object has no place for. */
  notices: Outcome["notices"];
  output: Outcome["output"];
}

/** Returns how a run ended, or a refusal when it has no answer. */
export function toCompletionEnd(outcome: Outcome, locale: Locale): CompletionEnd | { failure: HttpRefusal } {
  const { status, response, meta, notices, output } = outcome;
  if (status === "failed") return { failure: toFailure(outcome) };
  if (status === "cancelled" && response === "") return { failure: cancelled };
  return {
    notice: renderOutcome(outcome, locale).join("\n\n"),
    annotations: toAnnotations(outcome),
    finish: toFinish(outcome),
    usage: toUsage(Object.values(meta.models)),
    notices,
    output,
  };
}

/** `length` means that the answer was cut. When a limit was reached before the answer was written, the notice says so instead. */
function toFinish({ status, stop_reason: reason }: Outcome): Finish {
  if (status === "cancelled") return "length";
  if (status !== "partial") return "stop";
  if (reason === "refused") return "content_filter";
  return reason === "repetition" || stopsBefore.has(reason) ? "stop" : "length";
}

const stopsBefore: ReadonlySet<Outcome["stop_reason"]> = new Set(
  stoppingLimits.flatMap(({ stop }) => (stop.cutsAnswer ? [] : [stop.stopReason])),
);

/** OpenAI's own clients obey this header. */
const headers = { "x-should-retry": "false" };

function toFailure(outcome: Outcome): HttpRefusal {
  const { code, message, hint } = outcome.error ?? unexplained;
  const toText = (text: string) => ({ zh: text, en: text });
  const described = { error: code, text: toText(message), hint: hint ? toText(hint) : undefined };
  return { status: statuses[code] ?? 424, headers, ...described, ...toRetryResponse(outcome) };
}

const unexplained: ErrorReport = { code: "internal", message: "the run failed", hint: null };

/**
 * Clients must not repeat a run by themselves: Duet has already retried what could be retried, and the run has cost something.
 * So every error is 424, "failed dependency", except those worth a retry at a known time. Clients repeat 408, 409, 429 and
 * everything from 500 on (`openai` and the AI SDK both), and 401 and 403 would say that the client's key is wrong.
 */
const statuses: Readonly<Partial<Record<ErrorCode, number>>> = {
  invalid_request: 400,
  context_overflow: 400,
  content_filter: 400,
};

/** Proxies use 499 for this: the client or the operator has stopped the run. */
const cancelled: HttpRefusal = {
  status: 499,
  error: "internal",
  openAiCode: "cancelled",
  text: { zh: "已取消。", en: "Cancelled." },
  headers,
};
