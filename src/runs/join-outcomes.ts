import { addBills } from "../core/add-bills.ts";
import { toOutcomeNotices } from "../core/notices.ts";
import type { Citation, Outcome } from "../core/outcome.ts";

/**
 * Returns the outcome of a run that has gone on with an earlier one, as the answer to the question of the first: both texts with their
 * sources, and what both have called and used. An answer in a form is that of the second run alone, because a form has no parts. Where
 * the second run has failed, the first one's answer stays, partial for that reason.
 */
export function joinOutcomes(first: Outcome, second: Outcome): Outcome {
  const { citations, numbers } = mergeCitations(first.citations, second.citations);
  const formed = second.output ? second : first.output && first;
  const notices = toOutcomeNotices([...(first.notices ?? []), ...(second.notices ?? [])]);
  return {
    ...second,
    ...(second.status === "failed" && { success: true, status: "partial" }),
    response: formed?.response ?? joinTexts(first.response, replaceNumbers(second.response, numbers)),
    tool_calls: [...first.tool_calls, ...second.tool_calls],
    citations,
    meta: addBills(first.meta, second.meta),
    ...(formed && { output: formed.output }),
    ...(notices.length > 0 && { notices }),
  };
}

function joinTexts(first: string, second: string): string {
  return [first, second].filter((text) => text.trim() !== "").join("\n\n");
}

/** Gives a source of the second run the number that it has in the first, or else one that no source of the first has. */
function mergeCitations(
  first: readonly Citation[],
  second: readonly Citation[],
): { citations: Citation[]; numbers: ReadonlyMap<number, number> } {
  const citations = [...first];
  const numbers = new Map<number, number>();
  for (const citation of second) {
    const known = citations.find(({ url }) => url === citation.url);
    const isUsed = (n: number): boolean => citations.some((other) => other.n === n);
    let n = known?.n ?? citation.n;
    while (known === undefined && isUsed(n)) n += 1;
    numbers.set(citation.n, n);
    if (known === undefined) citations.push({ ...citation, n });
  }
  return { citations, numbers };
}

/** Replaces the numbers of citations. Code is left alone, where a number in brackets is an index. */
function replaceNumbers(text: string, numbers: ReadonlyMap<number, number>): string {
  return text.replace(/(`{3,}|~{3,})[\s\S]*?(?:\1|$)|`[^`\n]*`|\[(\d+)\]/g, (part, _fence, number?: string) => {
    const changed = number === undefined ? undefined : numbers.get(Number(number));
    return changed === undefined ? part : `[${changed}]`;
  });
}
