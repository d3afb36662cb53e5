import { removePlainResults } from "../../agent/answer/plain-results.ts";
import { renderReferences } from "../../agent/citations/citations.ts";
import { isNotGoneOn, toOutcomeNotices } from "../../core/notices/outcome-notices.ts";
import { addBills } from "../../core/run/add-bills.ts";
import type { Citation, Outcome } from "../../core/run/outcome.ts";
import type { Locale } from "../../kit/locale.ts";

/**
 * Returns the outcome of a run that has gone on with an earlier one, as the answer to the question of the first: both texts with one list
 * of their sources, and what both have called and used. An answer in a form is that of the second run alone, because a form has no parts.
 * Where the second run has failed, the first one's answer stays, partial for that reason. Where its plan was declined, the first one's
 * end stays, too.
 */
export function joinOutcomes(first: Outcome, second: Outcome): Outcome {
  const citations = mergeCitations(first.citations, second.citations);
  const formed = chooseFormed(first, second);
  const notices = toOutcomeNotices([...(first.notices ?? []), ...(second.notices ?? [])]);
  // A run with which none could be begun has the notice, too, and an answer of its own.
  if (second.status === "cancelled" && isNotGoneOn(second)) {
    const { run_id, trace_id } = second;
    return { ...first, run_id, trace_id, meta: addBills(first.meta, second.meta), notices };
  }
  return {
    ...second,
    ...(second.status === "failed" && { success: true, status: "partial" }),
    response: formed?.response ?? joinResponses(first, second, citations),
    tool_calls: [...first.tool_calls, ...second.tool_calls],
    citations,
    meta: addBills(first.meta, second.meta),
    ...(formed?.output && { output: formed.output }),
    ...(notices.length > 0 && { notices }),
  };
}

/** Returns the run whose answer in a form stands. Undefined where neither has one, and one that has yet to end has none so far. */
function chooseFormed(first: Outcome, second: Outcome): Outcome | undefined {
  if (second.output) return second;
  if (first.output === undefined) return undefined;
  return second.status === "running" ? second : first;
}

/** The runs are of one conversation, in which a source keeps its number. */
function mergeCitations(first: readonly Citation[], second: readonly Citation[]): Citation[] {
  const added = second.filter(({ n }) => !first.some((known) => known.n === n));
  return [...first, ...added].sort((a, b) => a.n - b.n);
}

/**
 * Joins the texts before their lists of references, and ends with the list of all, in the language of the last one. Once the second run
 * has written something, what stands in for an answer of the first is left out.
 */
function joinResponses(first: Outcome, second: Outcome, citations: readonly Citation[]): string {
  const [begun, ended] = [splitReferences(first), splitReferences(second)];
  const isWritten = ended.text.trim() !== "";
  const parts = [isWritten ? { ...begun, text: removePlainResults(begun.text) } : begun, ended];
  const text = parts.flatMap((part) => (part.text.trim() === "" ? [] : [part.text])).join("\n\n");
  const language = parts.findLast((part) => part.language !== undefined)?.language;
  return language === undefined ? text : text + renderReferences(citations, language);
}

/** Takes the list of references from the end of an answer. `language` is undefined where none stands there. */
function splitReferences({ response, citations }: Outcome): { text: string; language?: Locale } {
  for (const language of ["zh", "en"] as const) {
    const list = renderReferences(citations, language);
    if (list !== "" && response.endsWith(list)) return { text: response.slice(0, -list.length), language };
  }
  return { text: response };
}
