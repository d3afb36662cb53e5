import { expect, test } from "vitest";
import { createFolds } from "../../../../src/cli/terminal/editor/folds.ts";
import { pasted } from "../../../fakes/key-codes.ts";
import { openEditor } from "./open-editor.ts";

const long = Array.from({ length: 2001 }, (_, index) => `row ${index}`).join("\n");

function openFolding(locale: "en" | "zh" = "en") {
  const folds = createFolds(() => locale);
  return { folds, ...openEditor(undefined, [], folds) };
}

test("a long paste is shown as a label, sent whole, and kept whole in the history", () => {
  const { folds, type, shows, history } = openFolding();
  type(`see ${pasted(long)} now`);
  expect(shows()).toEqual(["> see [pasted 2,001 lines] now|"]);
  const [submitted] = type("\r");
  expect(submitted).toEqual({ result: "submit", text: "see [pasted 2,001 lines] now" });
  const whole = folds.expand("see [pasted 2,001 lines] now");
  expect(whole).toBe(`see ${long} now`);
  expect(folds.collapse(whole)).toBe("see [pasted 2,001 lines] now");
  expect(history.entries).toEqual([whole]);
});

test("the line end at the end of a paste begins no further line", () => {
  const { type, shows } = openFolding();
  type(pasted(`${long}\n`));
  expect(shows()).toEqual(["> [pasted 2,001 lines]|"]);
});

test("a label is one piece: the cursor passes over it, and any key that would delete a part deletes it all", () => {
  const { type, shows } = openFolding();
  type(`a ${pasted(long)}${pasted(long)}`);
  expect(shows(60)).toEqual(["> a [pasted 2,001 lines][pasted 2,001 lines #2]|"]);
  type("\u001b[D");
  expect(shows(60)).toEqual(["> a [pasted 2,001 lines]|[pasted 2,001 lines #2]"]);
  type("\u007f");
  expect(shows(60)).toEqual(["> a |[pasted 2,001 lines #2]"]);
  type("\u001b[3~");
  expect(shows(60)).toEqual(["> a |"]);
});

test("a pasted path of an image is shown as its number, and sent as a mention; text that looks like a label stays", () => {
  const { folds, type, shows } = openFolding("zh");
  type(`${pasted("/tmp/shot.png")}${pasted("/tmp/b.pdf")}[image 9]`);
  expect(shows().map((line) => line.trimEnd())).toEqual(["> [图片 1] @/tmp/b.pdf [image 9]|"]);
  expect(folds.expand("[图片 1] @/tmp/b.pdf [image 9]")).toBe("@/tmp/shot.png @/tmp/b.pdf [image 9]");
});

test("an image that is completed after @ is shown as its number", async () => {
  const folds = createFolds(() => "en");
  const complete = async () => ({ from: 5, completions: [{ text: "@my\\ shot.png " }] });
  const { type, shows, completed } = openEditor(complete, [], folds);
  type("look @m");
  await completed();
  type("\r");
  expect(shows()).toEqual(["> look [image 1] |"]);
  expect(folds.expand("look [image 1] ")).toBe("look @my\\ shot.png ");
});

test("one Backspace takes away an image that was pasted, and what stands right beside its label is no part of its path", () => {
  const { folds, type, shows } = openFolding();
  type(`${pasted("/tmp/a.png")}\u007f${pasted("/tmp/b.png '/tmp/c d.png'")}\u007f!ls`);
  expect(shows(60)).toEqual(["> [image 2] !ls|"]);
  expect(folds.expand("see[image 2]里有什么")).toBe("see @/tmp/b.png 里有什么");
});

test("labels count as what they stand for: together with them no more is taken than may be typed", () => {
  const { folds, type, shows } = openFolding();
  const half = "x".repeat(499_990);
  type(`${pasted(half)}${pasted(half)}`);
  const labels = "[pasted 499,990 characters][pasted 499,990 characters #2]";
  expect(shows(80)).toEqual([`> ${labels}|`]);
  expect(folds.countUnits(labels)).toBe(999_980);
  type(pasted("y".repeat(21)));
  expect(shows(80)[0]).toBe(`> ${labels}|`);
  expect(shows(80).at(-1)).toMatch(/^Too long, not inserted: 21 characters/);
  type(pasted("y".repeat(20)));
  expect(shows(80)[0]).toBe(`> ${labels}${"y".repeat(20)}|`);
});

test("labels that were not used for longest are forgotten once they stand for twenty times what may be typed", () => {
  const folds = createFolds(() => "en");
  const all = Array.from({ length: 21 }, (_, index) => folds.foldPaste("x".repeat(1_000_000 - index)));
  const [first = "", second = "", third = ""] = all;
  const sizes = [first, second, third].map((label) => folds.expand(label).length);
  expect(sizes).toEqual([first.length, 999_999, 999_998]);
  folds.foldPaste("y".repeat(1_000_000));
  // What was sent last stays, and what was never sent goes before it.
  expect(folds.expand(second).length).toBe(999_999);
});
