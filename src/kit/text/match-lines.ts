/** `+` marks a new line, `-` a removed one, and a blank one that stays. */
export interface ChangedLine {
  sign: "+" | "-" | " ";
  text: string;
}

/**
 * The comparison takes memory with the square of the difference. Beyond this many lines, all old lines are listed and then all new
 * ones.
 */
const mostCompared = 1000;

/** Marks each line by how it changed. */
export function matchLines(old: readonly string[], now: readonly string[]): ChangedLine[] {
  const start = countSameAtStart(old, now);
  const end = countSameAtStart(old.slice(start).reverse(), now.slice(start).reverse());
  const [goes, comes] = [old.slice(start, old.length - end), now.slice(start, now.length - end)];
  const middle =
    goes.length + comes.length > mostCompared
      ? [...markLines("-", goes), ...markLines("+", comes)]
      : compareLines(goes, comes);
  return [...markLines(" ", now.slice(0, start)), ...middle, ...markLines(" ", now.slice(now.length - end))];
}

function markLines(sign: ChangedLine["sign"], lines: readonly string[]): ChangedLine[] {
  return lines.map((text) => ({ sign, text }));
}

function countSameAtStart(some: readonly string[], others: readonly string[]): number {
  const different = some.findIndex((line, index) => line !== others[index]);
  return different === -1 ? some.length : different;
}

/** Keeps as many lines as can stay, and puts each removed line before its replacement. The page compares too, so this is not Node's. */
function compareLines(old: readonly string[], now: readonly string[]): ChangedLine[] {
  const width = now.length + 1;
  /** Holds how many lines can stay of both texts from a place in each of them on. */
  const common = new Uint16Array((old.length + 1) * width);
  const countFrom = (i: number, j: number): number => common[i * width + j] ?? 0;
  for (let i = old.length - 1; i >= 0; i -= 1)
    for (let j = now.length - 1; j >= 0; j -= 1)
      common[i * width + j] =
        old[i] === now[j] ? countFrom(i + 1, j + 1) + 1 : Math.max(countFrom(i + 1, j), countFrom(i, j + 1));
  const lines: ChangedLine[] = [];
  let added: string[] = [];
  let [i, j] = [0, 0];
  while (i < old.length || j < now.length) {
    const [goes, comes] = [old[i], now[j]];
    if (goes !== undefined && goes === comes) {
      lines.push(...markLines("+", added), { sign: " ", text: goes });
      added = [];
      i += 1;
      j += 1;
    } else if (goes !== undefined && (comes === undefined || countFrom(i + 1, j) >= countFrom(i, j + 1))) {
      lines.push({ sign: "-", text: goes });
      i += 1;
    } else if (comes !== undefined) {
      added.push(comes);
      j += 1;
    }
  }
  return [...lines, ...markLines("+", added)];
}
