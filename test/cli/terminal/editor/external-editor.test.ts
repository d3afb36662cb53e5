import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { type EditedText, editExternally } from "../../../../src/cli/terminal/editor/external-editor.ts";
import { temporaryFolder } from "../../../fakes/program.ts";
import { patienceMs } from "../../../runner/patience.ts";

/** Has a text edited with these variables beside those of the test. */
function edit(text: string, more: Record<string, string>, signal = new AbortController().signal): Promise<EditedText> {
  const { PATH } = process.env;
  return editExternally(text, { environment: { PATH, ...more }, signal });
}

test("VISUAL, then EDITOR, edits the text in a file of its own, which is gone afterwards", async () => {
  const edited = await edit("one\n", { VISUAL: "printf 'two\\r\\n%s' $1 >>", EDITOR: "false" });
  const [one, two, file = ""] = "text" in edited ? edited.text.split("\n") : [];
  expect([one, two]).toEqual(["one", "two"]);
  expect(file).toMatch(/question\.md$/);
  expect(existsSync(file)).toBe(false);
  expect(await edit("one", { VISUAL: " ", EDITOR: "true" })).toEqual({ text: "one" });
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
  const edited = await edit("text", environment);
  expect("problem" in edited && edited.problem.en).toMatch(line);
});

test("a Ctrl-C at the editor is the editor's", async () => {
  const heard: string[] = [];
  const listener = () => void heard.push("SIGINT");
  process.on("SIGINT", listener);
  process.once("SIGINT", listener);
  const before = process.rawListeners("SIGINT");
  expect(await edit("text", { EDITOR: `sh -c 'kill -INT ${process.pid}; sleep 0.3' #` })).toEqual({
    text: "text",
  });
  expect([heard, process.rawListeners("SIGINT")]).toEqual([[], before]);
  process.off("SIGINT", listener).off("SIGINT", listener);
});

test("the editor is given the variables that are passed, and ends when we do", async () => {
  expect(await edit("", { EDITOR: 'printf %s "$MINE-$HOME" >', MINE: "one" })).toEqual({ text: "one-" });
  const mark = join(await temporaryFolder(), "mark");
  const stop = new AbortController();
  const edited = edit("", { EDITOR: `touch '${mark}'; exec sleep 60 #` }, stop.signal);
  await vi.waitFor(() => expect(existsSync(mark)).toBe(true), patienceMs);
  stop.abort();
  expect(await edited).toHaveProperty("problem");
});
