/**
 * The data of the events of a stream, in order, where each has one line of it. A separator of lines (U+2028) within a text ends no
 * line of an event stream, as it does for a regular expression.
 */
export function readStreamData(text: string): string[] {
  return text
    .split(/\r\n|\n|\r/)
    .flatMap((line) => (line.startsWith("data:") ? [line.slice(5).replace(/^ /, "")] : []));
}

/** The same of a stream whose events all are JSON. */
export function parseStreamData(text: string) {
  return readStreamData(text).map((data) => JSON.parse(data));
}
