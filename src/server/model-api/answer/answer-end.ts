import { stoppingLimits } from "../../../core/limits/limits.ts";
import type { ModelBill, Outcome } from "../../../core/run/outcome.ts";
import type { Locale } from "../../../kit/locale.ts";
import { renderOutcome } from "../../../render/step-writer.ts";
import type { HttpRefusal } from "../../http/response/dialects.ts";
import { toFailedRun } from "../../http/response/failed-run.ts";

/** Says why an answer ended. With `tool-calls` the client is to run its tools, and to send their results. */
export type AnswerFinish = "stop" | "length" | "content-filter" | "tool-calls";

/** Describes how an answer ended, for a wire to write in its own terms. */
export interface AnswerEnd {
  finish: AnswerFinish;
  usage: AnswerUsage;
  citations: readonly AnswerCitation[];
  /** Holds what the reader must know beside the answer, and is empty when the answer is complete. */
  notice: string;
  /** Holds the notices of the result, which other programs' objects have no place for. */
  notices: Outcome["notices"];
  output: Outcome["output"];
}

/** Counts the tokens of all models of a run. Cached tokens are part of the input's, reasoning tokens of the output's. */
export interface AnswerUsage {
  inputTokens: number;
  outputTokens: number;
  cachedTokens: number;
  reasoningTokens: number;
}

/** Represents a source at the place where it is cited first. `start` and `end` say where its number is in the text, in UTF-16 units. */
export interface AnswerCitation {
  url: string;
  title: string;
  start: number;
  end: number;
}

/** Returns how a run ended, or a refusal when it has no answer. */
export function toAnswerEnd(outcome: Outcome, locale: Locale): AnswerEnd | { failure: HttpRefusal } {
  const { meta, notices, output } = outcome;
  const failure = toFailedRun(outcome, locale);
  if (failure !== undefined) return { failure };
  return {
    notice: renderOutcome(outcome, locale).join("\n\n"),
    citations: toCitations(outcome),
    finish: toFinish(outcome),
    usage: sumUsage(Object.values(meta.models)),
    notices,
    output,
  };
}

/** `length` means that the answer was cut. When a limit was reached before the answer was written, the notice says so instead. */
function toFinish({ status, stop_reason: reason }: Outcome): AnswerFinish {
  if (status === "cancelled") return "length";
  if (status !== "partial") return "stop";
  if (reason === "refused") return "content-filter";
  return reason === "repetition" || stopsBefore.has(reason) ? "stop" : "length";
}

const stopsBefore: ReadonlySet<Outcome["stop_reason"]> = new Set(
  stoppingLimits.flatMap(({ stop }) => (stop.cutsAnswer ? [] : [stop.stopReason])),
);

function toCitations({ response, citations }: Pick<Outcome, "response" | "citations">): AnswerCitation[] {
  return citations.map(({ n, title, url }) => {
    const marker = `[${n}]`;
    const start = Math.max(0, response.indexOf(marker));
    const end = response.startsWith(marker, start) ? start + marker.length : start;
    return { url, title, start, end };
  });
}

type Tokens = Pick<ModelBill, "input_tokens" | "output_tokens" | "cached_tokens" | "reasoning_tokens">;

/** Sums the tokens of the models of a run. */
export function sumUsage(bills: readonly Tokens[]): AnswerUsage {
  const sum = (name: keyof Tokens): number => bills.reduce((before, bill) => before + bill[name], 0);
  return {
    inputTokens: sum("input_tokens"),
    outputTokens: sum("output_tokens"),
    cachedTokens: sum("cached_tokens"),
    reasoningTokens: sum("reasoning_tokens"),
  };
}

/** Returns what was used since. */
export function removeUsage(usage: AnswerUsage, before: AnswerUsage): AnswerUsage {
  return {
    inputTokens: usage.inputTokens - before.inputTokens,
    outputTokens: usage.outputTokens - before.outputTokens,
    cachedTokens: usage.cachedTokens - before.cachedTokens,
    reasoningTokens: usage.reasoningTokens - before.reasoningTokens,
  };
}
