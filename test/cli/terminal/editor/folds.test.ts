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
