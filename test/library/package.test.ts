import { execFile, spawn } from "node:child_process";
import { copyFile, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readBlocks, taggedDocuments } from "../documents/blocks.ts";
import { collect } from "../fakes/program.ts";
import { makeProject } from "./project.ts";

const run = promisify(execFile);

/** The TypeScript of the English pages, as modules; that of the others is the same. What is generated of it are no modules. */
const examples = Object.fromEntries(
  taggedDocuments
    .filter((file) => !file.endsWith(".zh.md"))
    .flatMap((file) => readBlocks(file))
    .filter(({ language, tag }) => language === "ts" && tag?.kind !== "reference")
    .map(({ file, line, text }) => [`${file.replaceAll(/[/.]/g, "-")}-${line}.ts`, text]),
);

/** The library's types as they are published, and what the compiler printed about two users' projects: once for all tests, it takes seconds. */
let library: string;
let compiled: string;
let compiledWithoutZod: string;

beforeAll(async () => {
  library = await mkdtemp(join(tmpdir(), "duet-test-"));
  const code = `import { collectTypes } from "./scripts/package/collect-types.mjs"; await collectTypes(process.argv[1]);`;
  await run(process.execPath, ["--input-type=module", "-e", code, join(library, "dist/types")]);
  await copyFile("package.json", join(library, "package.json"));
  const files = { ...examples, "schemas.ts": schemas, "names.ts": names, "wrong.ts": wrong };
  [compiled, compiledWithoutZod] = await Promise.all([
    compile("user", files),
    compile("plain", { "names.ts": names, "plain.ts": plain }),
  ]);
}, 600_000);
afterAll(() => rm(library, { recursive: true, force: true }));

test("the examples of the documents compile under strict", async () => {
  expect(Object.keys(examples).length).toBeGreaterThan(4);
  for (const name of Object.keys(examples)) expect(errorsIn(name)).toEqual([]);
});

test("a tool's arguments have the types of its schema, and it may be written without `defineTool`", () => {
  expect(errorsIn("schemas.ts")).toEqual([]);
});

test("what the library's interfaces are made of has names", () => {
  expect(errorsIn("names.ts")).toEqual([]);
});

test("the types need no Zod, and are right by themselves", () => {
  expect(compiledWithoutZod).toBe("");
});

test("a wrong argument does not compile", () => {
  const errors = errorsIn("wrong.ts").join("\n");
  expect(errors).toContain("Type 'string' is not assignable to type 'number'");
  expect(errors).toContain("is missing the following properties");
  expect(errors).toContain("Property 'toUpperCase' does not exist on type 'number'");
});

/** What the compiler says of a file; what it says of none belongs to all. */
function errorsIn(name: string): string[] {
  const errors = compiled.split(/^(?=\S)/m).filter((line) => line.trim() !== "");
  return errors.filter((error) => error.startsWith(`${name}(`) || !/^\S+\.ts\(/.test(error));
}

/** What the compiler prints about a user's project. */
async function compile(name: string, files: Record<string, string>): Promise<string> {
  const folder = join(library, name);
  await makeProject(folder, files, library);
  const strictly = { module: "nodenext", target: "es2024", strict: true, noEmit: true, types: ["node"] };
  const compilerOptions = { ...strictly, skipLibCheck: name !== "plain" };
  if (name === "plain") await rm(join(folder, "node_modules", "zod"));
  await writeFile(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions }));
  const tsc = resolve("node_modules/typescript/bin/tsc");
  const child = spawn(process.execPath, [tsc, "-p", ".", "--pretty", "false", "--singleThreaded"], { cwd: folder });
  return (await collect(child)).stdout;
}

/** A tool's arguments have the types of its schema, and it may be written without `defineTool`. */
const schemas = `import { type } from "arktype";
import { createDuet, defineTool } from "duet-mcp";
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
const even = defineTool({
  name: "even",
  description: "Whether it is even.",
  inputSchema: type({ n: "number" }),
  run: ({ n }) => n.toFixed(),
});
await createDuet({ tools: [half, twice, { ...twice, name: "again" }, even] });
`;

/** A program without Zod. */
const plain = `import { createDuet, defineTool, type OwnTool } from "duet-mcp";
const twice: OwnTool = defineTool({
  name: "twice",
  description: "Twice it.",
  inputSchema: { type: "object", properties: { n: { type: "number" } } },
  run: ({ n }) => 2 * Number(n),
});
const duet = await createDuet({ tools: [twice], config: { agent: { maxIterations: 3 } } });
const { status } = await duet.ask("Twice 4?");
export const text: string = status;
// @ts-expect-error It has a type.
export const number: number = status;
`;

/** What the library's interfaces are made of has names. */
const names = `import { toPlainText } from "duet-mcp";
import type { ConversationStore, FinishedRun, Model, ModelRequest, OnModelEvent, Source, SourceList, Summary, Turn } from "duet-mcp";
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
  async stream({ messages }: ModelRequest, onEvent: OnModelEvent): Promise<Turn> {
    const content = toPlainText(messages.at(-1)?.content ?? "", "en");
    const usage = { inputTokens: 1, outputTokens: 1, reasoningTokens: 0, cachedTokens: 0 };
    onEvent({ type: "text-delta", text: content });
    return { message: { role: "assistant", content, toolCalls: [] }, finish: "stop", usage };
  }
  call(request: ModelRequest): Promise<Turn> {
    return this.stream(request, () => {});
  }
}
`;

const wrong = `import { createDuet, defineTool } from "duet-mcp";
import { z } from "zod";
await createDuet({ config: { agent: { maxIterations: "five" } } });
await createDuet({ tools: [{ name: "a", description: "a" }] });
defineTool({ name: "a", description: "a", inputSchema: z.object({ n: z.number() }), run: ({ n }) => n.toUpperCase() });
`;
