import type { Text } from "../../../kit/locale.ts";

export interface Capture {
  /** Returns what the group of the pattern (or the whole pattern, if it has none) matches first in a text. */
  find(text: string): string | undefined;
  /** Returns true once the pattern has used up its time. The text so far is then all there is. */
  isOverdue(): boolean;
}

/** Limits the time that matching takes in one call. Even linear matching is slow with thousands of states. */
const defaultLimitMs = 8000;

/** After a second, a pattern that takes a millisecond for a line is given up: it would hold up everything else meanwhile. */
const slowAfterMs = 1000;
const slowestMs = 1;

/** Limits the characters of a line in which the pattern is looked for, so that no single line takes long. */
const longestText = 4000;

/**
 * Compiles a pattern of a model. RE2 takes time linear in the text, so that no pattern can hang the program; what it cannot
 * express is explained in `problem`.
 */
export async function compileCapture(pattern: string, limitMs = defaultLimitMs): Promise<Capture | { problem: Text }> {
  const { RE2JS } = await import("re2js");
  let compiled: InstanceType<typeof RE2JS>;
  try {
    compiled = RE2JS.compile(RE2JS.translateRegExp(pattern));
  } catch (thrown) {
    const reason = thrown instanceof Error ? thrown.message : String(thrown);
    return {
      problem: {
        zh: `不是有效的正则表达式，或用了不支持的写法（前后断言、反向引用）：${reason}`,
        en: `is not a valid regular expression, or uses what is not supported (look-around, back-references): ${reason}`,
      },
    };
  }
  const groups = compiled.groupCount();
  if (groups > 1) {
    const zh = `只能有一个括号组，现有 ${groups} 个；其他的请写成 (?:…)`;
    return { problem: { zh, en: `must have one group, not ${groups}: write the others as (?:...)` } };
  }
  let spentMs = 0;
  let texts = 0;
  return {
    find(text) {
      const start = performance.now();
      texts++;
      const matcher = compiled.matcher(text.slice(0, longestText));
      const found = matcher.find() ? (matcher.group(groups) ?? undefined) : undefined;
      spentMs += performance.now() - start;
      return found;
    },
    isOverdue: () => spentMs > limitMs || (spentMs > slowAfterMs && spentMs > texts * slowestMs),
  };
}
