// Compares what a document shows with what a program has printed. What differs from run to run has placeholders.

/** What of a document stands for something else of the same kind, and what that looks like. */
const placeholders: readonly [what: string, written: RegExp, allowed: string][] = [
  ["left out", /…+/, "[\\s\\S]*?"],
  ["a moment", /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z/, "\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d+Z"],
  ["a local time", /\d{4}-\d\d-\d\d \d\d:\d\d/, "\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d"],
  [
    "a time that something takes",
    /\b\d+(?:\.\d+)? m?s\b|"elapsed_ms":\d+/,
    '(?:\\d+(?:\\.\\d+)? m?s\\b|"elapsed_ms":\\d+)',
  ],
  [
    "an ID",
    /(?<![a-z])(?:conv|run)-[0-9a-f]{4,}|\bresp_[0-9a-f]{4,}|(?<="trace_id":")[0-9a-f]{4,}/,
    "(?:\\w+[-_])?[0-9a-f]{4,}",
  ],
  ["an estimate of tokens", /\b\d+ tokens?\b/, "\\d+ tokens?\\b"],
  ["a version of Node.js", /\bNode\.js \d+\.\d+\.\d+/, "Node\\.js \\d+\\.\\d+\\.\\d+"],
];

const anyPlaceholder = new RegExp(
  placeholders.map(([, { source }], index) => `(?<p${index}>${source})`).join("|"),
  "g",
);

/** A pattern for the whole of a text, with its placeholders. */
function toPattern(text: string): RegExp {
  let pattern = "";
  let end = 0;
  for (const { index, 0: found, groups = {} } of text.matchAll(anyPlaceholder)) {
    const at = placeholders.findIndex((_, number) => groups[`p${number}`] !== undefined);
    pattern += `${escapePattern(text.slice(end, index))}${placeholders[at]?.[2] ?? ""}`;
    end = index + found.length;
  }
  return new RegExp(`^${pattern}${escapePattern(text.slice(end))}$`);
}

function escapePattern(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}

/** JSON is wrapped at other places than it is sent. Says what is wrong; undefined where it is the same. */
export function findJsonDifference(shown: readonly string[], body: string): string | undefined {
  return toPattern(shown.join("")).test(body.trim()) ? undefined : `shown:\n${shown.join("\n")}\nsent:\n${body}`;
}

/**
 * A terminal shows both streams, and a test gets them apart: every line that is shown has to be the next one of either stream, and
 * none may be left. A line of an ellipsis alone stands for any number of lines.
 */
export function findLineDifference(shown: readonly string[], streams: readonly [string, string]): string | undefined {
  const [first, second] = streams.map(toLines) as [string[], string[]];
  const patterns = shown.map((line) => (/^\s*…+$/.test(line) ? undefined : toPattern(toComparable(line))));
  const seen = new Map<string, boolean>();
  let furthest = 0;
  function fits(at: number, a: number, b: number): boolean {
    const key = `${at} ${a} ${b}`;
    const known = seen.get(key);
    if (known !== undefined) return known;
    furthest = Math.max(furthest, at);
    const answer = compare(at, a, b);
    seen.set(key, answer);
    return answer;
  }
  function compare(at: number, a: number, b: number): boolean {
    if (at === patterns.length) return a === first.length && b === second.length;
    const pattern = patterns[at];
    const nexts = [
      [first[a], a + 1, b],
      [second[b], a, b + 1],
    ] as const;
    if (pattern === undefined && fits(at + 1, a, b)) return true;
    return nexts.some(([line, nextA, nextB]) => {
      if (line === undefined) return false;
      if (pattern === undefined) return fits(at, nextA, nextB);
      return pattern.test(line) && fits(at + 1, nextA, nextB);
    });
  }
  if (fits(0, 0, 0)) return undefined;
  const line = shown[furthest] ?? "the end";
  return `cannot be matched from here on: ${line}\nstdout:\n${first.join("\n")}\nstderr:\n${second.join("\n")}`;
}

function toLines(text: string): string[] {
  return text === "" ? [] : text.trimEnd().split("\n").map(toComparable);
}

/** Columns are as wide as what stands in them. */
function toComparable(line: string): string {
  return line.trimEnd().replaceAll(/(?<=\S) {2,}/g, "  ");
}
