import { describeMissing, describeNotAllowed } from "../core/schemas/describe-issue.ts";
import { DuetError, getMessage } from "../kit/errors.ts";
import type { Text } from "../kit/locale.ts";
import { formatCount } from "../kit/text/format-count.ts";
import { sanitizeLine } from "../kit/text/sanitize.ts";

/**
 * Returns the error of one line for an invalid configuration. It names the place, then what is wrong there and what is allowed.
 */
export function configError(where: string, what: Text, cause?: unknown): DuetError {
  const text = { zh: sanitizeLine(`${where}: ${what.zh}`), en: sanitizeLine(`${where}: ${what.en}`) };
  return new DuetError({ code: "config", text, cause });
}

/** Limits how many errors of a configuration are reported at once. */
const mostReported = 20;

/** Joins the errors of a configuration to one, which has the text of the first. There has to be at least one. */
export function joinConfigErrors(errors: readonly DuetError[]): DuetError {
  const [first, ...rest] = errors;
  if (first === undefined) throw new Error("there is no error to report");
  const left = rest.length - (mostReported - 1);
  const others = left > 0 ? [...rest.slice(0, mostReported - 1), countMoreErrors(left)] : rest;
  if (others.length === 0) return first;
  return new DuetError({ code: "config", text: first.text, hint: first.hint, others, cause: first });
}

function countMoreErrors(count: number): DuetError {
  return new DuetError({ code: "config", text: { zh: `另有 ${count} 处错误`, en: formatCount(count, "more error") } });
}

/** Collects what is wrong with a configuration, so that all of it can be reported at once. */
export interface ErrorCollector {
  readonly errors: readonly DuetError[];
  add(error: DuetError): void;
  /** Returns undefined where the work throws a `config` error, which is collected. Throws everything else. */
  attempt<T>(work: () => T): T | undefined;
  attemptAsync<T>(work: () => Promise<T>): Promise<T | undefined>;
}

export function createErrorCollector(): ErrorCollector {
  const errors: DuetError[] = [];
  function collect(thrown: unknown): undefined {
    if (!(thrown instanceof DuetError) || thrown.code !== "config") throw thrown;
    const texts = new Set(errors.map(({ text }) => text.en));
    if (!texts.has(thrown.text.en)) errors.push(thrown);
  }
  return {
    errors,
    add: collect,
    attempt(work) {
      try {
        return work();
      } catch (thrown) {
        return collect(thrown);
      }
    },
    attemptAsync: (work) => work().catch(collect),
  };
}

/** `shown` is the bad value as it may be printed: already masked when it is a secret. */
export function notAllowedError(where: string, shown: string, allowed: Text): DuetError {
  return configError(where, describeNotAllowed(shown, allowed));
}

export function missingError(where: string, allowed: Text): DuetError {
  return configError(where, describeMissing(allowed));
}

/** Lists all keys that are allowed, the nearest one first. `elsewhere` is where the key is meant to stand. */
export function unknownKeyError(where: string, key: string, allowed: readonly string[], elsewhere?: string): DuetError {
  const guess = elsewhere ?? findNearest(key, allowed);
  const list = allowed.join(", ");
  return configError(where, {
    zh: `未知的键${guess === undefined ? "" : `，是否想写 ${guess}？`}（允许：${list}）`,
    en: `unknown key${guess === undefined ? "" : `; did you mean ${guess}?`} (allowed: ${list})`,
  });
}

/** Returns the most likely intended word for `wrong`, and undefined when none is within the allowed number of edits. */
export function findNearest(
  wrong: string,
  words: readonly string[],
  mostEdits = (word: string): number => Math.max(1, Math.floor(word.length / 3)),
): string | undefined {
  const toPlainWord = (word: string): string => word.toLowerCase().replace(/[^a-z0-9]/g, "");
  const ranked = words
    .map((word) => ({ word, distance: editDistance(toPlainWord(wrong), toPlainWord(word)) }))
    .sort((a, b) => a.distance - b.distance);
  const best = ranked[0];
  if (best === undefined) return undefined;
  return best.distance <= mostEdits(best.word) ? best.word : undefined;
}

function editDistance(from: string, to: string): number {
  if (Math.abs(from.length - to.length) > 20) return 20;
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (const [i, character] of [...from].entries()) {
    const next = [i + 1];
    for (let j = 1; j <= to.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (character === to[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[to.length] ?? 0;
}

/** Makes the error for a file that could not be written: which one, and the system's code or message. */
export function unwritableFileError(file: string, thrown: unknown): DuetError {
  const why = thrown instanceof Error && "code" in thrown ? String(thrown.code) : getMessage(thrown);
  return configError(file, { zh: `无法写入（${why}）`, en: `cannot be written (${why})` }, thrown);
}
