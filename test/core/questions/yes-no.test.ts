import { expect, test } from "vitest";
import { readYesNo } from "../../../src/core/questions/yes-no.ts";

test.each(["y", "YES", " 是 ", "好", "同意", "允许", "批准"])("%j is a yes", (line) => {
  expect(readYesNo(line)).toBe(true);
});

test.each(["n", "No", "否", "不", "不同意", "不允许", "不批准", "拒绝"])("%j is a no", (line) => {
  expect(readYesNo(line)).toBe(false);
});

test.each(["", "yes please", "perhaps", "/exit", "constructor"])("%j is neither", (line) => {
  expect(readYesNo(line)).toBeUndefined();
});
