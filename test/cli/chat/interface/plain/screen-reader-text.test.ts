import { expect, test } from "vitest";
import { toScreenReaderText } from "../../../../../src/cli/chat/interface/plain/screen-reader-text.ts";

test.each([
  ["✓ echo (3 ms) done", "ok: echo (3 ms) done", "完成：echo (3 ms) done"],
  ["✗ echo", "failed: echo", "失败：echo"],
  ["🔧 echo {}", "tool: echo {}", "工具：echo {}"],
  ["⚠ late", "warning: late", "警告：late"],
  ["🧭 deciding · m", "deciding · m", "deciding · m"],
  ["☑ step 1 done: look", "step 1 done: look", "step 1 done: look"],
  ["  1. look · find {}", "  1. look · find {}", "  1. look · find {}"],
  ["│ who?", "quote: who?", "引用：who?"],
  ["the answer is ✓", "the answer is ✓", "the answer is ✓"],
  ["✓", "ok: ", "完成："],
  ["", "", ""],
])("%j is said as %j, in Chinese as %j", (line, en, zh) => {
  expect([toScreenReaderText(line, "en"), toScreenReaderText(line, "zh")]).toEqual([en, zh]);
});
