/** Says what kind of character a code unit is. */
const letter = 0;
const digit = 1;
const space = 2;
const sign = 3;
const han = 4;
const wideSign = 5;
/** Leaves the character to the expressions, which know the whole of Unicode. */
const other = 255;

const kinds = createKinds();

function createKinds(): Uint8Array {
  const table = new Uint8Array(65_536).fill(other);
  table.fill(sign, 0x21, 0x7f);
  table.fill(letter, 0x41, 0x5b).fill(letter, 0x61, 0x7b);
  table.fill(digit, 0x30, 0x3a);
  for (const code of [9, 10, 11, 12, 13, 32, 0xa0, 0x3000]) table[code] = space;
  table.fill(han, 0x4e00, 0x9fd6).fill(han, 0x3400, 0x4db6);
  for (const each of "，。；：！？（）【】《》〈〉「」『』、·…—“”‘’％＋－／＝～") table[each.charCodeAt(0)] = wideSign;
  return table;
}

/**
 * Returns the weight of a text in one pass over its characters, with the same result as the expressions of `estimateTokens`;
 * undefined where it has a character that only they know.
 */
export function weighPlainText(text: string): number | undefined {
  let tokens = 0;
  for (let at = 0; at < text.length; ) {
    const kind = kinds[text.charCodeAt(at)];
    if (kind === other || kind === undefined) return undefined;
    const short = kind === sign || kind === wideSign ? measureShortForm(text, at) : 0;
    const end = short > 0 ? at + short : findEnd(text, at, kind);
    // A run of characters that goes on with something unknown may be a longer one.
    if (end < text.length && kinds[text.charCodeAt(end)] === other) return undefined;
    tokens += short > 0 ? weighSigns(text, at, end) : weighRun(text, { at, end, kind });
    at = end;
  }
  return tokens;
}

function findEnd(text: string, at: number, kind: number): number {
  const isSign = kind === sign || kind === wideSign;
  let end = at + 1;
  for (; end < text.length; end++) {
    const next = kinds[text.charCodeAt(end)];
    if (next !== kind && !(isSign && (next === sign || next === wideSign))) break;
  }
  return end;
}

function weighRun(text: string, { at, end, kind }: { at: number; end: number; kind: number }): number {
  if (kind === letter) return weighWords(text, at, end);
  if (kind === digit) return Math.ceil((end - at) / 3);
  if (kind === space) return end - at === 1 && text.charCodeAt(at) === 32 ? 0 : 1;
  return kind === han ? 0.72 * (end - at) : weighSigns(text, at, end);
}

/** Weighs letters: `getUserName` is a word for each capital after a small letter. */
function weighWords(text: string, at: number, end: number): number {
  let tokens = 0;
  let part = at;
  for (let next = at + 1; next <= end; next++) {
    const isSplit = next < end && text.charCodeAt(next) < 97 && text.charCodeAt(next - 1) >= 97;
    if (!isSplit && next < end) continue;
    const length = next - part;
    tokens += length <= 9 ? 1 : 1 + (length - 9) / 5;
    part = next;
  }
  return tokens;
}

function weighSigns(text: string, at: number, end: number): number {
  for (let each = at; each < end; each++) if (text.charCodeAt(each) > 0x7e) return 0.9 * (end - at);
  return Math.ceil((end - at) / 3);
}

/** Returns the length of a short form such as `'s` or `’ll`, and 0 where there is none. */
function measureShortForm(text: string, at: number): number {
  const code = text.charCodeAt(at);
  if (code !== 0x27 && code !== 0x2019) return 0;
  const [found = ""] = /^(?:s|t|m|d|re|ve|ll)\b/.exec(text.slice(at + 1, at + 4)) ?? [];
  return found === "" ? 0 : 1 + found.length;
}
