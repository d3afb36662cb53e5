/**
 * Matches the numbers under which programs that ask hand over documents of their own: `<source id="1">` (Open WebUI),
 * `<document index="1">`, `{"id":1,"content":…}` (Cherry Studio), and lines that begin with `[1]`.
 */
const forms = [
  /<(?:source|document|doc|context|file)\s[^<>]{0,500}?\b(?:id|index)\s*=\s*["']?(\d{1,3})["'\s>/]/gi,
  /"(?:id|index|number)"\s*:\s*"?(\d{1,3})"?\s*,\s*"content"\s*:/g,
  /^[ \t>*-]{0,8}\[(\d{1,3})\](?=[:：]?[ \t]*\S)/gm,
];

/** Is the highest number that is kept. Ours come behind it, and a citation has three digits at most. */
const highest = 500;

/** Returns the numbers of the documents that these texts bring. */
export function findDocumentNumbers(texts: Iterable<string>): ReadonlySet<number> {
  const numbers = new Set<number>();
  for (const text of texts)
    for (const form of forms)
      for (const [, digits] of text.matchAll(form)) {
        const number = Number(digits);
        if (number > 0 && number <= highest) numbers.add(number);
      }
  return numbers;
}
