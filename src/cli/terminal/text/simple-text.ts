/**
 * UTF-16 units that are a printable character by themselves and join with no other of them: most of what is shown. They need
 * no table of Unicode, which the engine is slow to look up.
 */

/** Latin, Cyrillic, quotes, mathematics, frames, braille; not © and ®, which may be pictures. In one cell. */
const narrow = String.raw`\x20-\x7e\xa0-\xa8\xaa-\xac\xaf-\u024f\u0400-\u0481\u1e00-\u1eff\u2013-\u2022\u2026\u2200-\u22ff\u2500-\u259f\u2801-\u28ff`;
/** Chinese, Japanese, Hangul and their marks. In two. */
const wide = String.raw`\u3001-\u3029\u3041-\u3096\u30a0-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uff01-\uff60`;

const narrowUnits = new RegExp(`[${narrow}]+`, "g");
const otherUnit = new RegExp(`[^${narrow}${wide}]`);
const others = `[^${narrow}${wide}]+`;
const simple = `[${narrow}${wide}]`;
const otherUnits = new RegExp(`${simple}?${others}(?:${simple}${others})*${simple}?`, "g");

/** Whether a text is made of them alone: then it is shown as it is. */
export function isSimple(text: string): boolean {
  return !otherUnit.test(text);
}

/** The cells of a text; undefined where it is not made of them alone. */
export function countSimpleCells(text: string): number | undefined {
  if (!/[^\x20-\x7e]/.test(text)) return text.length;
  const rest = text.replace(narrowUnits, "");
  return otherUnit.test(rest) ? undefined : text.length + rest.length;
}

/** Of a unit that is one of them. */
export function countUnitCells(unit: number): number {
  return unit < 0x3001 ? 1 : 2;
}

/** The parts of a text that hold others, each with the neighbours of them that these may join with. */
export function findComplexParts(text: string): Iterable<RegExpExecArray> {
  return text.matchAll(otherUnits);
}
