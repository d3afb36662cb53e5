import { readServerEnd } from "../../core/notices/outcome-notices.ts";
import type { Outcome } from "../../core/run/outcome.ts";
import { type Locale, say } from "../../kit/locale.ts";
import { renderPartial } from "../../render/event-lines.ts";
import type { AnswerRequest } from "./answer/answer-request.ts";

/**
 * Returns the line under an answer which says that it is not whole, because clients show neither a reason to stop nor, unfolded,
 * the reasoning. Returns "" for a whole answer, for one that a program reads, and for one that the client itself has cut.
 */
export function renderCutMark(
  outcome: Outcome,
  { request, locale, isCut }: { request: Pick<AnswerRequest, "format" | "maxTokens">; locale: Locale; isCut: boolean },
): string {
  const { status, stop_reason: reason, output, response } = outcome;
  if (request.format !== undefined || output !== undefined || response.trim() === "") return "";
  if (reason === "length" && request.maxTokens !== undefined) return "";
  const said = renderPartial(outcome, locale);
  if (said !== undefined) return toMark(said);
  const ended = readServerEnd(outcome);
  if (ended !== undefined) return toMark(`⚠ ${ended}`);
  if (status === "cancelled") return toMark(say(locale, { zh: "⚠ 回答已取消。", en: "⚠ The answer was cancelled." }));
  return isCut ? toMark(say(locale, changed)) : "";
}

const changed = {
  zh: "⚠ 回答不完整：前面的内容发出后，模型又重写了回答。",
  en: "⚠ This answer is partial: it was written anew after a part of it had been sent.",
};

function toMark(line: string): string {
  return `\n\n> ${line.replaceAll(/\s+/g, " ")}`;
}

const mark = /\s*\n> ⚠ [^\n]*\s*$/;

export function hasCutMark(answer: string): boolean {
  return mark.test(answer);
}

/** Returns an answer as it was written, for models to read and for a comparison with what they have written. */
export function removeCutMark(answer: string): string {
  return answer.replace(mark, "");
}
