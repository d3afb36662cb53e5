import { existsSync } from "node:fs";
import { expect, test } from "vitest";
import { editExternally } from "../../../../src/cli/terminal/editor/external-editor.ts";

test("VISUAL, then EDITOR, edits the text in a file of its own, which is gone afterwards", async () => {
  const edited = await editExternally("one\n", { VISUAL: "printf 'two\\r\\n%s' $1 >>", EDITOR: "false" });
  const [one, two, file = ""] = "text" in edited ? edited.text.split("\n") : [];
  expect([one, two]).toEqual(["one", "two"]);
  expect(file).toMatch(/question\.md$/);
  expect(existsSync(file)).toBe(false);
  expect(await editExternally("one", { VISUAL: " ", EDITOR: "true" })).toEqual({ text: "one" });
});

test.each([
  [{}, "No editor is set: set VISUAL or EDITOR, such as EDITOR=vim."],
  [
    { EDITOR: "sh -c 'exit 3'" },
    "The editor sh -c 'exit 3' did not succeed: it ended with exit code 3. The text stays as it was.",
  ],
  [{ EDITOR: "nowhere-to-be-found 2>/dev/null" }, /^The editor nowhere-to-be-found .* exit code 127\. The text stays/],
  [{ EDITOR: "kill -9 $$ #" }, /it was ended by SIGKILL/],
])("%j leaves the text as it was, with one line", async (environment, line) => {
  const edited = await editExternally("text", environment);
  expect("problem" in edited && edited.problem.en).toMatch(line);
});

test("a Ctrl-C at the editor is the editor's", async () => {
  const heard: string[] = [];
  const listener = () => void heard.push("SIGINT");
  process.on("SIGINT", listener);
  expect(await editExternally("text", { EDITOR: `sh -c 'kill -INT ${process.pid}; sleep 0.3' #` })).toEqual({
    text: "text",
  });
  expect([heard, process.listeners("SIGINT").includes(listener)]).toEqual([[], true]);
  process.off("SIGINT", listener);
});
