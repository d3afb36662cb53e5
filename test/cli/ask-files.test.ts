import { writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { images } from "../fakes/images.ts";
import { temporaryFolder } from "../fakes/program.ts";
import { startFakeProvider } from "../fakes/provider.ts";
import { runWarmProgram } from "../fakes/warm-program.ts";
import { makePdf } from "../tools/page/make-pdf.ts";

/** A model that sees images, and a folder with a picture, a text, an empty file, a program and a PDF whose end is missing. */
async function startFiles() {
  const provider = await startFakeProvider();
  onTestFinished(() => provider.close());
  const folder = await temporaryFolder();
  await writeFile(join(folder, "picture.png"), images.png);
  await writeFile(join(folder, "note.txt"), "The note.");
  await writeFile(join(folder, "empty.png"), "");
  await writeFile(join(folder, "program.bin"), Buffer.from("\x7fELF\x02\x01\x01\0\xff\x90\0\x85".repeat(50), "latin1"));
  await writeFile(join(folder, "broken.pdf"), makePdf([["x"]]).subarray(0, 300));
  const env = {
    AGENT_FUNCTION_CALL_MODEL: JSON.stringify({
      provider: "anthropic",
      model: "claude-sonnet-4-5",
      base_url: provider.anthropicUrl,
    }),
    ANTHROPIC_API_KEY: "sk-test-anthropic-0002",
  };
  const ask = (args: string[], stdin = "") =>
    runWarmProgram(["ask", "--mode", "chat", ...args], { env, cwd: folder, stdin });
  return { provider, ask };
}

test("duet ask --file attaches images, documents and texts, as often as it is given, and one that is damaged is told", async () => {
  const { provider, ask } = await startFiles();
  provider.script("claude-sonnet-4-5", { text: "A square and a report." });
  const report = resolve("test/fixtures/documents/report.docx");
  const files = ["picture.png", report, "note.txt", "broken.pdf"].flatMap((name) => ["--file", name]);
  const { code, stdout, stderr } = await ask(["What is this?", ...files]);
  expect([code, stdout]).toEqual([0, "A square and a report.\n"]);
  expect(stderr).toContain("Not attached: broken.pdf: the file is damaged and cannot be read");
  const sent = JSON.stringify(provider.requests("claude-sonnet-4-5")[0]?.body);
  expect(sent).toContain("| North | 10 | 12 |");
  expect(sent).toContain("The note.");
  expect(sent).toContain(images.png.toString("base64").slice(0, 60));
});

test("a file of another type is told in one line, in Chinese too", async () => {
  const { ask } = await startFiles();
  const { code, stderr } = await ask(["--locale", "zh", "什么？", "--file", "program.bin"]);
  expect(code).toBe(2);
  expect(stderr).toMatch(/^duet: --file：未附上 program.bin：类型无法识别（允许：/);
});

test("--file - reads the file from stdin", async () => {
  const { provider, ask } = await startFiles();
  provider.script("claude-sonnet-4-5", { text: "Two." });
  const { code } = await ask(["How many rows?", "--file=-"], "a,b\n1,2\n3,4\n");
  expect(code).toBe(0);
  expect(JSON.stringify(provider.requests("claude-sonnet-4-5")[0]?.body)).toContain("a,b\\n1,2\\n3,4");
});

test.each([
  [["x", "--file", "none.png"], "--file: Not attached: none.png does not exist"],
  [["x", "--file", "."], "--file: Not attached: . is a folder; only files can be attached"],
  [["x", "--file", "empty.png"], "--file: Not attached: empty.png is empty"],
  [["x", "--file", "-"], "--file: stdin is empty (allowed: the content of a file)"],
  [["--file", "-"], "no question given"],
  [["x", "--file"], "--file"],
])("duet ask %j ends with one line and exit code 2", async (args, line) => {
  const { provider, ask } = await startFiles();
  const { code, stderr } = await ask(args);
  expect([code, stderr.trim().split("\n").length]).toEqual([2, 1]);
  expect(stderr).toContain(line);
  expect(provider.journal).toEqual([]);
});
