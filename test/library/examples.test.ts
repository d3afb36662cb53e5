import { spawn } from "node:child_process";
import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { collect, programEnvironment, temporaryFolder } from "../fakes/program.ts";
import { startFakeProvider } from "../fakes/provider.ts";

/** The examples of a README, in order. */
async function examplesOf(file: string): Promise<string[]> {
  const text = await readFile(file, "utf8");
  return [...text.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, code = ""]) => code);
}

/** A user's project: Duet and Zod installed, the example in a file. */
async function project(code: string): Promise<string> {
  const folder = await temporaryFolder();
  await mkdir(join(folder, "node_modules"));
  await symlink(resolve("."), join(folder, "node_modules", "duet-mcp"));
  await symlink(resolve("node_modules/zod"), join(folder, "node_modules", "zod"));
  await symlink(resolve("node_modules/@types"), join(folder, "node_modules", "@types"));
  await writeFile(join(folder, "package.json"), '{"type":"module"}');
  await writeFile(join(folder, "example.ts"), code);
  return folder;
}

/** Runs the example against the fake provider on both wires; gives what it printed. */
async function runExample(file: string, index: number): Promise<string> {
  const code = (await examplesOf(file))[index] ?? "";
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
  const folder = await project(code);
  const child = spawn(process.execPath, ["example.ts"], { cwd: folder, env });
  child.stdin.end();
  const { code: exit, stdout, stderr } = await collect(child);
  expect(stderr.replace(/.*ExperimentalWarning.*\n.*\n/, "")).toBe("");
  expect(exit).toBe(0);
  return stdout;
}

describe("the examples of the README run as they stand", () => {
  test.each(["README.md", "README.zh.md"])("%s: one question", async (file) => {
    expect(await runExample(file, 0)).toBe("complete It is 3. 2 1\n");
  });

  test("README.md: a tool, an evaluator and the stream", async () => {
    const printed = await runExample("README.md", 1);
    expect(printed).toBe('-> stock_level {"article":"M8 bolt"}\nThere are 7 left.\n answered 36\n');
  });
});

describe("the package's types", () => {
  beforeAll(async () => {
    const child = spawn(process.execPath, [resolve("node_modules/typescript/bin/tsc"), "-p", "tsconfig.types.json"]);
    const { code, stdout } = await collect(child);
    expect(stdout).toBe("");
    expect(code).toBe(0);
  }, 120_000);

  async function check(code: string): Promise<string> {
    const folder = await project(code);
    const compilerOptions = { module: "nodenext", target: "es2024", strict: true, noEmit: true, types: ["node"] };
    const skipped = { skipLibCheck: true };
    await writeFile(
      join(folder, "tsconfig.json"),
      JSON.stringify({ compilerOptions: { ...compilerOptions, ...skipped } }),
    );
    const child = spawn(process.execPath, [resolve("node_modules/typescript/bin/tsc"), "-p", folder]);
    const { stdout } = await collect(child);
    return stdout;
  }

  test("the examples compile under strict", async () => {
    for (const code of await examplesOf("README.md")) expect(await check(code)).toBe("");
  }, 120_000);

  test("a tool's arguments have the types of its schema, and it may be written without `defineTool`", async () => {
    const right = `import { createDuet, defineTool } from "duet-mcp";
import { z } from "zod";
const half = defineTool({
  name: "half",
  description: "Half of it.",
  inputSchema: z.object({ of: z.object({ n: z.number().refine((n) => n > 0), at: z.date().optional() }) }),
  run: ({ of: { n, at } }) => [n / 2, at?.getFullYear()],
});
const twice = {
  name: "twice",
  description: "Twice it.",
  inputSchema: { type: "object", properties: { n: { type: "number" } } },
  run: ({ n }: { n: number }) => 2 * n,
};
await createDuet({ tools: [half, twice, { ...twice, name: "again" }] });
`;
    expect(await check(right)).toBe("");
  }, 120_000);

  test("what the library's interfaces are made of has names", async () => {
    const right = `import type { ConversationStore, FinishedRun, Model, ModelEvent, ModelRequest, Source, SourceList, Summary } from "duet-mcp";
export interface Sources extends SourceList { number(sources: readonly Source[]): Promise<number[]> }
export abstract class Store implements ConversationStore {
  abstract load: ConversationStore["load"];
  abstract create: ConversationStore["create"];
  async append(run: FinishedRun): Promise<void> { console.log(run.runId); }
  async summarise(id: string, summary: Summary): Promise<void> { console.log(id, summary.turns); }
  abstract latest: ConversationStore["latest"];
  abstract list: ConversationStore["list"];
  abstract remove: ConversationStore["remove"];
  abstract trace: ConversationStore["trace"];
  abstract runs: ConversationStore["runs"];
  async close(): Promise<void> {}
}
export class Parrot implements Model {
  readonly provider = "own";
  readonly model = "parrot";
  async *stream({ messages }: ModelRequest): AsyncGenerator<ModelEvent> {
    const content = messages.at(-1)?.content ?? "";
    const usage = { inputTokens: 1, outputTokens: 1, reasoningTokens: 0, cachedTokens: 0 };
    yield { type: "text-delta", text: content };
    yield { type: "turn-end", turn: { message: { role: "assistant", content, toolCalls: [] }, finish: "stop", usage } };
  }
}
`;
    expect(await check(right)).toBe("");
  }, 120_000);

  test("a wrong argument does not compile", async () => {
    const wrong = `import { createDuet, defineTool } from "duet-mcp";
import { z } from "zod";
await createDuet({ config: { agent: { maxIterations: "five" } } });
await createDuet({ tools: [{ name: "a", description: "a" }] });
defineTool({ name: "a", description: "a", inputSchema: z.object({ n: z.number() }), run: ({ n }) => n.toUpperCase() });
`;
    const errors = await check(wrong);
    expect(errors).toContain("Type 'string' is not assignable to type 'number'");
    expect(errors).toContain("is missing the following properties");
    expect(errors).toContain("Property 'toUpperCase' does not exist on type 'number'");
  }, 120_000);
});
