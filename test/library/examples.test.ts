import { spawn } from "node:child_process";
import { resolve } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { readBlocks } from "../documents/blocks.ts";
import { collect, programEnvironment, temporaryFolder } from "../fakes/program.ts";
import { startFakeProvider } from "../fakes/provider.ts";
import { makeProject } from "./project.ts";

function readExample(file: string, index: number): string {
  return readBlocks(file).filter(({ tag }) => tag?.kind === "library")[index]?.text ?? "";
}

/** Runs the example against the fake provider on both wires; gives what it printed. */
async function runExample(file: string, index: number): Promise<string> {
  const code = readExample(file, index);
  expect(code).toContain("createDuet");
  const provider = await startFakeProvider();
  onTestFinished(() => provider.close());
  const numbers = { name: "calculator", arguments: { numbers: [1, 2, 3, 4, 5], operations: ["mean"] } };
  const call = index === 0 ? numbers : { name: "stock_level", arguments: { article: "M8 bolt" } };
  provider.script("deepseek-flash", { toolCalls: [call] }, { text: "Enough." });
  provider.script("claude-sonnet-5-5", { text: index === 0 ? "It is 3." : "There are 7 left." });
  const env = await programEnvironment({
    DEEPSEEK_API_KEY: "sk-test-deepseek-0001",
    DEEPSEEK_BASE_URL: provider.openaiUrl,
    ANTHROPIC_API_KEY: "sk-ant-test-0001",
    ANTHROPIC_BASE_URL: provider.anthropicUrl,
  });
  const folder = await temporaryFolder();
  await makeProject(folder, { "example.ts": code }, resolve("."));
  const child = spawn(process.execPath, ["example.ts"], { cwd: folder, env });
  child.stdin.end();
  const { code: exit, stdout, stderr } = await collect(child);
  expect(stderr.replace(/.*ExperimentalWarning.*\n.*\n/, "")).toBe("");
  expect(exit).toBe(0);
  return stdout;
}

describe("the examples of the library page run as they stand", () => {
  test.each(["docs/library.md", "docs/library.zh.md"])("%s: one question", async (file) => {
    expect(await runExample(file, 0)).toBe("complete It is 3. 2 1\n");
  });

  test("a tool, an evaluator and the stream, the same in both languages", async () => {
    expect(readExample("docs/library.zh.md", 1)).toBe(readExample("docs/library.md", 1));
    const printed = await runExample("docs/library.md", 1);
    expect(printed).toBe('-> stock_level {"article":"M8 bolt"}\nThere are 7 left.\n answered 36\n');
  });
});
