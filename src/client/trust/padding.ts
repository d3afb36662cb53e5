/** A run of blanks this long, or with this many line ends, is not layout. */
const longRun = 100;
const manyLines = 12;

/** Returns the length of the longest run of blanks that is not layout, and 0 when there is none. */
export function measureLongestBlank(text: string): number {
  const lengths = [...text.matchAll(blanks)].map(([run]) => (isPadding(run) ? run.length : 0));
  return Math.max(0, ...lengths);
}

/** Replaces such runs by what `say` returns for their length, so that no text behind them is out of sight. */
export function replacePadding(text: string, say: (length: number) => string): string {
  return text.replace(blanks, (run: string) => (isPadding(run) ? say(run.length) : run));
}

function isPadding(run: string): boolean {
  return run.length >= longRun || run.split("\n").length > manyLines;
}

// The look behind lets a run be read from its start only. Fillers that are no white space are shown as hidden characters.
const blanks = /(?<!\s)\s{12,}/g;
