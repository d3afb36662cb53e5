/**
 * Orders the paths that match what was typed, the best first, at most `most`: names that begin with it, names and paths that
 * contain it, and paths that hold its letters in this order. Letter case does not matter.
 */
export function matchPaths(typed: string, paths: readonly string[], most: number): string[] {
  const wanted = typed.toLowerCase();
  const ranked = paths.flatMap((path) => {
    const score = measureMatch(wanted, path.toLowerCase());
    return score === undefined ? [] : [{ path, score }];
  });
  ranked.sort(
    (one, other) => one.score - other.score || one.path.length - other.path.length || compare(one.path, other.path),
  );
  return ranked.slice(0, most).map(({ path }) => path);
}

/** Returns a lower number for a better match; undefined for none. */
function measureMatch(wanted: string, path: string): number | undefined {
  const bare = path.endsWith("/") ? path.slice(0, -1) : path;
  const name = bare.slice(bare.lastIndexOf("/") + 1);
  if (name.startsWith(wanted)) return 0;
  if (name.includes(wanted)) return 1;
  if (path.includes(wanted)) return 2;
  const span = findSpan(wanted, path);
  return span === undefined ? undefined : 3 + span - wanted.length;
}

/** Returns the length of the part of the path that holds the letters, found from its end, where names are. */
function findSpan(wanted: string, path: string): number | undefined {
  let at = path.length;
  let end: number | undefined;
  for (let index = wanted.length - 1; index >= 0; index--) {
    const letter = wanted[index] ?? "";
    at = at === 0 ? -1 : path.lastIndexOf(letter, at - 1);
    if (at < 0) return undefined;
    end ??= at + 1;
  }
  return end === undefined ? undefined : end - at;
}

function compare(one: string, other: string): number {
  return one < other ? -1 : 1;
}
