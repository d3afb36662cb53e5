import { toPlainText } from "../../core/model/message-content.ts";
import type { MessageSources } from "../../core/model/messages.ts";
import { hasWholeSource, type NumberedSource, readText, type SourceReading } from "../../core/sources.ts";
import type { ConversationTurn, SourceList } from "../../core/store/conversations/conversation.ts";
import type { ToolResult } from "../../core/tools/tool.ts";
import { splitFences } from "../context/fence.ts";
import { isCut } from "../tools/gap-lines.ts";
import { listMarkedNumbers } from "./citation-marker.ts";
import { getLastClause } from "./evidence.ts";

/** Lists what a result says of each of its sources. */
export function listReadings(
  { text, kind }: Pick<ToolResult, "text" | "kind">,
  sources: readonly NumberedSource[],
): SourceReading[] {
  if (kind === "page" || kind === "file") return sources.slice(0, 1).map(({ n }) => ({ n, text }));
  if (kind === "cited") {
    const clauses = listCitedClauses(text).filter(({ n }) => sources.some((source) => source.n === n));
    return [...clauses, ...sources.map(({ n }) => ({ n, text: "", isPart: true }))];
  }
  return sources.map(({ n, source: { title, snippet } }) => ({ n, text: `${title}\n${snippet}` }));
}

/** Lists the clauses before the citations of a text. Its author has read more of each source. */
function listCitedClauses(text: string): SourceReading[] {
  return [...text.matchAll(/(?:\[\d{1,3}\])+/g)].flatMap(({ 0: markers, index }) => {
    const clause = getLastClause(text.slice(Math.max(0, index - longestClause), index));
    return [...markers.matchAll(/\d+/g)].map(([digits]) => ({ n: Number(digits), text: clause, isPart: true }));
  });
}

/** Limits the text before a citation that is looked at, in characters. */
const longestClause = 300;

/** Lists what models have read of the sources of a conversation, as far as its turns still hold it. */
export function listEarlierReadings(
  turns: readonly Pick<ConversationTurn, "steps">[],
  { marker, sources }: { marker: string; sources: SourceList },
): SourceReading[] {
  const messages = turns.flatMap(({ steps = [] }) => steps.flatMap(({ results }) => results));
  return messages.flatMap(({ content, ok, sources: named }) => {
    if (!ok) return [];
    // What hooks add stands behind the result, in fences of its own.
    const { text = "" } = splitFences(toPlainText(content, "en"), marker).find(({ isFenced }) => isFenced) ?? {};
    return named ? readResult(text, named, sources) : listUncertain(text);
  });
}

/**
 * Lists the numbers of the sources that turns have read, that their answers cite, or that the question names. An answer of a turn whose
 * results are gone, or that an earlier version has stored without their sources, still says what was read for it.
 */
export function listReadNumbers(
  turns: readonly Pick<ConversationTurn, "answer" | "steps">[],
  question: string,
): ReadonlySet<number> {
  const results = turns.flatMap(({ steps = [] }) => steps.flatMap(({ results }) => results)).filter(({ ok }) => ok);
  const named = results.flatMap(({ content, sources }) =>
    sources ? sources.numbers : listUncertain(toPlainText(content, "en")).map(({ n }) => n),
  );
  const written = [question, ...turns.map(({ answer }) => answer)].flatMap(listMarkedNumbers);
  return new Set([...named, ...written]);
}

function readResult(text: string, { numbers, kind }: MessageSources, list: SourceList): SourceReading[] {
  const sources = numbers.flatMap((n): NumberedSource[] => {
    const source = list.get(n);
    return source ? [{ n, source }] : [];
  });
  if (kind === "page" || kind === "file") {
    const isPart = isCut(text);
    return listReadings({ text: readText(text, kind), kind }, sources).map((reading) => ({ ...reading, isPart }));
  }
  if (kind !== undefined) return listReadings({ text, kind }, sources).map((reading) => ({ ...reading, isPart: true }));
  // The list has what was found of a source first, and a later search may have found more.
  return sources.flatMap((source) =>
    listReadings({ text, kind }, [source]).map((reading) => ({ ...reading, isPart: !hasWholeSource(text, source) })),
  );
}

/**
 * Lists the sources that a result without such names may be of, which an earlier version has stored. Its text may pass itself off as
 * another source, so nothing is corrected from it.
 */
function listUncertain(text: string): SourceReading[] {
  return [...text.matchAll(/(?:^|, )\[(\d{1,3})\] /gm)].map(([, n]) => ({ n: Number(n), text: "", isPart: true }));
}
