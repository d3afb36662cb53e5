import type { SourceList } from "../../core/store/conversations/conversation.ts";
import type { Source } from "../../core/tools/tool.ts";
import type { Marker, PlacedMarker } from "./citation-marker.ts";
import type { Evidence } from "./evidence.ts";

/**
 * Tells what the numbers of an answer may stand for: sources that were read for it or before it, or documents that the asker brings,
 * whose numbers no source has.
 */
export interface CitableNumbers {
  isDocument(number: number): boolean;
  /** Is true for a number of a document, or of a source that was read. */
  isKnown(number: number): boolean;
  /** Is true where a number of the marker is known. */
  hasSources(marker: Marker): boolean;
  /** Is true when the link on a number, if any, leads to the source of that number, even if not by exactly the same address. */
  isOwnLink(marker: PlacedMarker): boolean;
  /** Is true for what may be a citation by its numbers alone. */
  canCite(marker: Marker): boolean;
  /** Is true while nothing has been fetched for an asker that may bring documents. */
  hasOnlyAskersNumbers(): boolean;
  /**
   * Returns the source that a citation which stands alone is about, by the figures of the text before it. Several in one bracket or
   * beside each other share that text, so that none can be told to be wrong.
   */
  choose(number: number, text: string): number;
}

export function createCitableNumbers(
  sources: SourceList,
  { evidence, documents }: { evidence?: Evidence | undefined; documents?: ReadonlySet<number> | undefined },
): CitableNumbers {
  const isDocument = (number: number): boolean => documents?.has(number) ?? false;
  const findSource = (number: number): Source | undefined =>
    evidence === undefined || evidence.hasRead(number) ? sources.get(number) : undefined;
  const isKnown = (number: number): boolean => isDocument(number) || findSource(number) !== undefined;
  const hasSources = ({ numbers }: Marker): boolean => numbers.some(isKnown);
  const hasOnlyAskersNumbers = (): boolean => sources.size === 0 && documents !== undefined;

  return {
    isDocument,
    isKnown,
    hasSources,
    isOwnLink({ numbers: [number = 0, ...more], target }) {
      const source = findSource(number);
      return target === undefined || (more.length === 0 && source !== undefined && isSameHost(source.url, target));
    },
    canCite(marker) {
      const { numbers, isFootnote, isList } = marker;
      // A footnote without a source is the text's own.
      if (isFootnote && isDocument(numbers[0] ?? 0)) return false;
      // No source has the number 0, and nobody cites one twice in a bracket.
      if (isList && (numbers.includes(0) || new Set(numbers).size < numbers.length)) return false;
      if (numbers.length > 1 && hasOnlyAskersNumbers()) return numbers.every(isKnown);
      return hasSources(marker) || (numbers.length === 1 && !isFootnote);
    },
    hasOnlyAskersNumbers,
    choose: (number, text) =>
      evidence === undefined || isDocument(number) ? number : evidence.findSource(number, text),
  };
}

function isSameHost(a: string, b: string): boolean {
  return URL.canParse(a) && URL.parse(a)?.host === URL.parse(b)?.host;
}
