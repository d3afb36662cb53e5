/**
 * An answer in this many pieces of a word each, as a model writes one: headings, paragraphs in Chinese and English, lists,
 * tables and code. Every block holds a mark of its own, `@12@`.
 */
export function markdownPieces(count) {
  const pieces = [];
  for (let block = 0; pieces.length < count; block++) {
    const text = blocks[block % blocks.length](`@${block}@`);
    pieces.push(...(text.match(/\s*\S+/g) ?? []), "\n\n");
  }
  return [...pieces.slice(0, count - 1), "\nend"];
}

const words = (some, times) => Array.from({ length: times }, (_, index) => some[index % some.length]).join(" ");
const english = ["The", "quick", "**brown**", "fox", "jumps", "over", "`the`", "lazy", "dog", "[1]", "and", "rests."];
const chinese = ["北京今天", "晴，最高", "气温", "**25°C**，", "适合", "出行 🌤️。", "明天", "有雨，", "`注意` 带伞。"];

const blocks = [
  (mark) => `## ${mark} A heading`,
  (mark) => `${mark} ${words(english, 60)}`,
  (mark) => `${mark} ${words(chinese, 40)}`,
  (mark) => Array.from({ length: 6 }, (_, row) => `- ${mark}.${row} ${words(english, 8)}`).join("\n"),
  (mark) => `| ${mark} | weather | 温度 |\n|---|---|---|\n${"| Beijing | sunny and warm | 25 |\n".repeat(8)}`.trimEnd(),
  (mark) => `\`\`\`ts\n// ${mark}\n${"export const answer: number = 42 + values.length;\n".repeat(8)}\`\`\``,
];
