import type { Outcome } from "../../core/outcome.ts";

/** OpenAI's shape of a citation. `start_index` and `end_index`: where its number stands in the text, in UTF-16 units. */
export interface Annotation {
  type: "url_citation";
  url_citation: { url: string; title: string; start_index: number; end_index: number };
}

/** One for each source, where it is cited first. */
export function toAnnotations({ response, citations }: Pick<Outcome, "response" | "citations">): Annotation[] {
  return citations.map(({ n, title, url }) => {
    const marker = `[${n}]`;
    const start = Math.max(0, response.indexOf(marker));
    const end = response.startsWith(marker, start) ? start + marker.length : start;
    return { type: "url_citation", url_citation: { url, title, start_index: start, end_index: end } };
  });
}
