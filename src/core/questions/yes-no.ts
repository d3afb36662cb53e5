/** Interprets a typed line; returns undefined when it is neither yes nor no. */
export function readYesNo(line: string): boolean | undefined {
  const word = line.trim().toLowerCase();
  if (yesWords.has(word)) return true;
  return noWords.has(word) ? false : undefined;
}

export const yesWords: ReadonlySet<string> = new Set(["y", "yes", "true", "是", "好", "同意", "允许", "批准"]);
export const noWords: ReadonlySet<string> = new Set([
  "n",
  "no",
  "false",
  "否",
  "不",
  "不同意",
  "不允许",
  "不批准",
  "拒绝",
]);
