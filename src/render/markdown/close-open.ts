interface Mark {
  readonly sign: string;
  readonly at: number;
}

/**
 * Completes the end of a text that is still being written. It closes open marks and removes incomplete ones, so that no mark
 * appears and vanishes a moment later.
 */
export function closeOpen(text: string): string {
  const whole = removeHeldLines(text);
  const from = findRunStart(whole);
  return whole.slice(0, from) + closeInline(whole.slice(from));
}

/** Removes lines that have no meaning yet: a block marker with no content, and the first two lines of a table. */
function removeHeldLines(text: string): string {
  const held = /(?:^|\n)[ >]*(?:[-=*+#>_~`|:]+|\d{1,9}[.)]?)[ \t]*$/.exec(text);
  const rest = held === null ? text : text.slice(0, held.index);
  const table = /(?:^|\n)([ ]{0,3}\|[^\n]*)(?:\n[ |:-]*)?$/.exec(rest);
  if (table === null) return rest;
  const before = rest.slice(0, table.index);
  return isTableRow(before.slice(before.lastIndexOf("\n") + 1)) ? rest : before;
}

function isTableRow(line: string): boolean {
  return /^ {0,3}\|/.test(line);
}

/** Returns where the inline text begins that the last mark may belong to, which is after the last block marker. */
function findRunStart(text: string): number {
  let start = 0;
  for (const { index, 0: found } of text.matchAll(
    /\n[ \t]*\n|\n[ \t>]*(?:[-*+]|\d{1,9}[.)]|#{1,6}|>)[ \t]+|\n {0,3}\|/g,
  ))
    start = index + found.length;
  return start > 0 ? start : (/^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)]|#{1,6}|>)[ \t]+)*/.exec(text)?.[0].length ?? 0);
}

/** Nobody has more marks open at once. Further marks are shown as they are written. */
const mostOpen = 20;

/** Completes the marks at the end of the text of one block. */
export function closeInline(run: string): string {
  const open: Mark[] = [];
  const signs = /\\|`+|\*+|_+|~+|[[\]]/g;
  for (let found = signs.exec(run); found !== null && open.length <= mostOpen; found = signs.exec(run)) {
    const { index: at, 0: sign } = found;
    if (sign === "\\") signs.lastIndex = at + 2;
    else if (sign === "[") open.push({ sign, at });
    else if (sign === "]") {
      const { at: start } = takeBracket(open) ?? { at };
      const end = findLinkEnd(run, start, at);
      if (end === undefined) return closeMarks(removeLink(run, start, at), open);
      signs.lastIndex = end;
    } else if (sign.startsWith("`")) {
      const end = run.indexOf(sign, at + sign.length);
      if (end < 0) return closeMarks(closeCode(run, at, sign), open);
      signs.lastIndex = end + sign.length;
    } else {
      const rest = passSign({ run, open, sign, at });
      if (rest !== undefined) return rest;
    }
  }
  return open.length > mostOpen ? run : closeMarks(run, open);
}

/** Closes code that has begun. Empty code is removed, and so are incomplete closing marks at its end. */
function closeCode(run: string, at: number, sign: string): string {
  const code = run.slice(at + sign.length).replace(/`+$/, "");
  return code.trim() === "" ? run.slice(0, at) : run.slice(0, at) + sign + code + (sign.length > 1 ? ` ${sign}` : sign);
}

/** Opens or closes emphasis; gives the run's end where that is all that there is. */
function passSign({
  run,
  open,
  sign,
  at,
}: {
  run: string;
  open: Mark[];
  sign: string;
  at: number;
}): string | undefined {
  const before = run.charAt(at - 1);
  const after = run.charAt(at + sign.length);
  const last = open.at(-1);
  const isClosing = last?.sign.charAt(0) === sign.charAt(0) && /\S/.test(before);
  if (isClosing && after === "" && sign.length !== last.sign.length) return closeMarks(run.slice(0, at), open);
  if (isClosing && sign.length >= last.sign.length) closeSigns(open, sign);
  else if (after === "")
    return /^\s?$/.test(before) || sign.length > 1 ? closeMarks(run.slice(0, at), open) : undefined;
  else if (/\S/.test(after) && !(sign.startsWith("_") && /[\p{L}\p{N}]/u.test(before))) open.push({ sign, at });
  return undefined;
}

/** Removes the marks that one sign closes: `***` closes an emphasis and the bold text around it. */
function closeSigns(open: Mark[], sign: string): void {
  let left = sign.length;
  for (
    let last = open.at(-1);
    last?.sign.charAt(0) === sign.charAt(0) && last.sign.length <= left;
    last = open.at(-1)
  ) {
    left -= last.sign.length;
    open.pop();
  }
}

function takeBracket(open: Mark[]): Mark | undefined {
  const place = open.findLastIndex(({ sign }) => sign === "[");
  return place < 0 ? undefined : open.splice(place, 1)[0];
}

/** Returns the end of what follows `]`, or undefined when an address has no end yet or may come next. */
function findLinkEnd(run: string, start: number, at: number): number | undefined {
  if (at > start && at === run.length - 1)
    return /^\[(?:\^?\d+|[ xX])\]$/.test(run.slice(start)) ? run.length : undefined;
  if (run.charAt(at + 1) !== "(") return at + 1;
  const end = /^\((?:[^()\\]|\\.|\([^()]*\))*\)/.exec(run.slice(at + 1));
  return end === null ? undefined : at + 1 + end[0].length;
}

/** Keeps only the text of a link whose address is incomplete, and removes an incomplete image. */
function removeLink(run: string, start: number, end: number): string {
  if (run.charAt(start - 1) === "!") return run.slice(0, start - 1);
  return run.slice(0, start) + run.slice(start + 1, end);
}

function closeMarks(run: string, open: readonly Mark[]): string {
  let text = run;
  for (const { sign, at } of open.toReversed()) {
    if (at >= text.length) continue;
    if (sign !== "[") {
      // Marks around a quotation mark alone do not count as marks behind a letter.
      const isEmpty = !/[^\s\p{P}]/u.test(text.slice(at + sign.length));
      text = isEmpty ? text.slice(0, at) : text.trimEnd() + sign;
      continue;
    }
    const isImage = text.charAt(at - 1) === "!";
    if (isImage || /^\[(?:\^?\d{0,4}|[ xX])$/.test(text.slice(at))) text = text.slice(0, isImage ? at - 1 : at);
    else text = text.slice(0, at) + text.slice(at + 1);
  }
  return text.replace(/!$/, "");
}
