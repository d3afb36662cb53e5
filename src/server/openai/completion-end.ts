import { stoppingLimits } from "../../core/limits.ts";
import type { Outcome } from "../../core/outcome.ts";
import type { Locale } from "../../kit/locale.ts";
import { renderOutcome } from "../../render/step-writer.ts";
import type { HttpRefusal } from "../http/response/dialects.ts";
import { toFailedRun } from "../http/response/failed-run.ts";
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
  const { meta, notices, output } = outcome;
  const failure = toFailedRun(outcome);
  if (failure !== undefined) return { failure };
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
