import { toPlainText } from "../../core/message-content.ts";
import { type NumberedSource, readSources, type SourceReading } from "../../core/sources.ts";
import type { ConversationTurn, SourceList } from "../../core/store/store.ts";
import type { ToolResult } from "../../core/tools/tool.ts";
import { readFenced } from "../context/fence.ts";
import { isCut } from "../tools/tool-results.ts";
import { getLastClause } from "./evidence.ts";

/** Lists what a result says of each of its sources. */
export function listReadings(
  { text, kind }: Pick<ToolResult, "text" | "kind">,
  sources: readonly NumberedSource[],
): SourceReading[] {
  if (kind === "page" || kind === "file") return sources.slice(0, 1).map(({ n }) => ({ n, text }));
  if (kind === "cited") return listCitedClauses(text).filter(({ n }) => sources.some((source) => source.n === n));
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
  turns: readonly ConversationTurn[],
  { marker, sources }: { marker: string; sources: SourceList },
): SourceReading[] {
  const messages = turns.flatMap(({ steps = [] }) => steps.flatMap(({ results }) => results));
  return messages.flatMap(({ content, ok }) => {
    if (!ok) return [];
    const text = readFenced(toPlainText(content, "en"), marker);
    const readings = readSources(text, (n) => sources.get(n));
    return isCut(text) ? readings.map((reading) => ({ ...reading, isPart: true })) : readings;
  });
}
