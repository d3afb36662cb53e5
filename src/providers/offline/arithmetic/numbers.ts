/** The text with ASCII digits, brackets, signs and separators, as people and input methods write them otherwise. */
export function normalizeNumbers(text: string): string {
  return text
    .normalize("NFKC")
    .replace(/[【〔〖]/g, "[")
    .replace(/[】〕〗]/g, "]")
    .replace(/[、﹐]/g, ",")
    .replace(/[−–﹣]/g, "-")
    .replace(/负\s?(?=\d)/g, "-")
    .replace(/[×✕✖∗]/g, "*")
    .replace(/÷/g, "/");
}

/** The numbers that stand for themselves in a plain text, in order; digits inside names and words are none. */
export function findNumbers(text: string): number[] {
  return Array.from(text.matchAll(aNumber), ([number]) => Number(number)).filter(Number.isFinite);
}

/** "1,000" as one number, where nothing says that it is a list: other numbers stand beside it. */
export function removeThousands(text: string): string {
  const joined = text.replace(thousands, (number) => number.replaceAll(",", ""));
  return findNumbers(joined).length > 1 ? joined : text;
}

/** "1 到 100" and "1 to 100" as all whole numbers between; undefined when there is no such range or it is too long. */
export function findRange(text: string): number[] | undefined {
  const [, from, to] =
    /(?<![\w.])(-?\d{1,9})\s?(?:到|至|~|to|through|\.\.\.?)\s?(-?\d{1,9})(?![\w.])/i.exec(text) ?? [];
  const length = Number(to) - Number(from) + 1;
  if (!(length >= 2 && length <= longestRange)) return undefined;
  return Array.from({ length }, (_, index) => Number(from) + index);
}

const longestRange = 1000;

// Not part of a word, a date, a time, a version or a path; a Chinese character may stand right beside it.
const aNumber =
  /(?<![\w.]|\w[/-]|\d:)[-+]?(?:\d{1,400}(?:\.\d{1,400})?|\.\d{1,400})(?:e[-+]?\d{1,3})?(?!\w|\.\d|[-:/]\d)/gi;
const thousands = /(?<![\d.,])\d{1,3}(?:,\d{3})+(?![\d,])/g;
