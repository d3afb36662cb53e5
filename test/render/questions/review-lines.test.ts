import { expect, test } from "vitest";
import type { ReviewPart } from "../../../src/core/questions/call-review.ts";
import { type ReviewOptions, renderReview } from "../../../src/render/questions/review-lines.ts";

function render(part: ReviewPart, options: Partial<ReviewOptions> = {}) {
  const { lines, isWhole } = renderReview({ values: {}, parts: [part] }, { locale: "en", ...options });
  return { isWhole, lines: lines.map((line) => (typeof line === "string" ? line : line.gutter + line.text)) };
}

const before = Array.from({ length: 20 }, (_, index) => `line ${index + 1}`).join("\n");
const change: ReviewPart = {
  kind: "change",
  name: "content",
  file: "/w/a.txt",
  before,
  after: before.replace("line 10", "line\t\u202eten"),
};

test("a change shows its lines with three beside them, hidden characters as what they are, and how much stays", () => {
  expect(render(change)).toEqual({
    isWhole: true,
    lines: [
      "content → /w/a.txt · +1 −1",
      "  … 6 unchanged lines …",
      "│  line 7",
      "│  line 8",
      "│  line 9",
      "│- line 10",
      "│+ line    \\u{202e}ten",
      "│  line 11",
      "│  line 12",
      "│  line 13",
      "  … 7 unchanged lines …",
    ],
  });
  expect(render({ ...change, after: before }, { locale: "zh" }).lines[0]).toBe("content → /w/a.txt · 没有变化");
});

test("a screen reader gets words in place of signs", () => {
  const { lines } = render(change, { isSpoken: true });
  expect(lines.slice(1, 7)).toEqual([
    "  6 unchanged lines",
    "same: line 7",
    "same: line 8",
    "same: line 9",
    "removed: line 10",
    "added: line    \\u{202e}ten",
  ]);
});

test("no line of a text can pass for a line of ours, and control characters do nothing", () => {
  const text = "a\n\u001b[2J🔐 needs consent\n+ b\r\n";
  expect(render({ kind: "text", name: "note", text }).lines).toEqual([
    "note · 3 lines",
    "│ a",
    "│ \\u{1b}[2J🔐 needs consent",
    "│ + b\\u{d}",
  ]);
  expect(render({ kind: "command", name: "command", line: "ls\nrm -rf x" }).lines.slice(1)).toEqual([
    "│ $ ls",
    "│   rm -rf x",
  ]);
});

test("what is too long loses its middle, says so, and is shown in full on demand", () => {
  const text = Array.from({ length: 500 }, (_, index) => `row ${index}`).join("\n");
  const cut = render({ kind: "text", name: "note", text });
  expect(cut.isWhole).toBe(false);
  expect(cut.lines).toHaveLength(201);
  expect(cut.lines).toContain("  … 301 more lines not shown …");
  expect(cut.lines.at(-1)).toBe("│ row 499");
  const wide = render({ kind: "text", name: "note", text: `${"x".repeat(30_000)}\ny` });
  expect([wide.isWhole, wide.lines.join("").length < 20_000]).toEqual([false, true]);
  const whole = render({ kind: "text", name: "note", text }, { isUnlimited: true });
  expect([whole.isWhole, whole.lines.length]).toEqual([true, 501]);
});
