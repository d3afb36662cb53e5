import type { SourceList } from "../../core/store/conversations/conversation.ts";
import type { Marker, PlacedMarker } from "./citation-marker.ts";

/** Tells what the numbers of an answer may stand for: sources, or documents that the asker brings, whose numbers no source has. */
export interface CitableNumbers {
  isDocument(number: number): boolean;
  /** Is true for a number that has a source or is a document. */
  isKnown(number: number): boolean;
  /** Is true where a number of the marker is known. */
  hasSources(marker: Marker): boolean;
  /** Is true when the link on a number, if any, leads to the source of that number, even if not by exactly the same address. */
  isOwnLink(marker: PlacedMarker): boolean;
  /** Is true for what may be a citation by its numbers alone. */
  canCite(marker: Marker): boolean;
  /** Is true while nothing has been fetched for an asker that may bring documents. */
  hasOnlyAskersNumbers(): boolean;
}

export function createCitableNumbers(sources: SourceList, documents?: ReadonlySet<number>): CitableNumbers {
  const isDocument = (number: number): boolean => documents?.has(number) ?? false;
  const isKnown = (number: number): boolean => isDocument(number) || sources.get(number) !== undefined;
  const hasSources = ({ numbers }: Marker): boolean => numbers.some(isKnown);
  const hasOnlyAskersNumbers = (): boolean => sources.size === 0 && documents !== undefined;

  return {
    isDocument,
    isKnown,
    hasSources,
    isOwnLink({ numbers: [number = 0, ...more], target }) {
      const source = sources.get(number);
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
  };
}

function isSameHost(a: string, b: string): boolean {
  return URL.canParse(a) && URL.parse(a)?.host === URL.parse(b)?.host;
}
