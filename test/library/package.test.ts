import { spawn } from "node:child_process";
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { collect } from "../fakes/program.ts";
import { examplesOf, makeProject } from "./project.ts";

/** What a clone has that packing needs. */
const sources = [
  ...["bin", "scripts", "src", "package.json", "tsconfig.json", "tsconfig.types.json"],
  ...["README.md", "README.zh.md", "CHANGELOG.md", "SECURITY.md", "LICENSE"],
];

/** A clone that was packed, and what the compiler printed about a user's project: once for all tests, both take seconds. */
let clone: string;
let packed: string[];
let compiled: string;

beforeAll(async () => {
  clone = await mkdtemp(join(tmpdir(), "duet-test-"));
  for (const name of sources) await cp(name, join(clone, name), { recursive: true });
  await symlink(resolve("node_modules"), join(clone, "node_modules"));
  const env = { PATH: process.env.PATH ?? "", HOME: clone, npm_config_update_notifier: "false" };
  const child = spawn("npm", ["pack", "--dry-run", "--json"], { cwd: clone, env, stdio: "pipe" });
  const { code, stdout, stderr } = await collect(child);
  expect(code, stderr).toBe(0);
  packed = [...stdout.matchAll(/"path": "([^"]*)"/g)].map(([, path = ""]) => path);
  compiled = await compile({ ...(await examples()), "schemas.ts": schemas, "names.ts": names, "wrong.ts": wrong });
}, 600_000);
afterAll(() => rm(clone, { recursive: true, force: true }));

test("what npm packs has every file that package.json points to", async () => {
  expect(packed).toEqual(expect.arrayContaining(await pointedTo()));
  expect(packed).toContain("dist/prompts/en/answer.md");
});

test("the examples of the documents compile under strict", async () => {
  expect(Object.keys(await examples()).length).toBeGreaterThan(2);
  for (const name of Object.keys(await examples())) expect(errorsIn(name)).toEqual([]);
});

test("a tool's arguments have the types of its schema, and it may be written without `defineTool`", () => {
  expect(errorsIn("schemas.ts")).toEqual([]);
});

test("what the library's interfaces are made of has names", () => {
  expect(errorsIn("names.ts")).toEqual([]);
});

test("a wrong argument does not compile", () => {
  const errors = errorsIn("wrong.ts").join("\n");
  expect(errors).toContain("Type 'string' is not assignable to type 'number'");
  expect(errors).toContain("is missing the following properties");
  expect(errors).toContain("Property 'toUpperCase' does not exist on type 'number'");
});

/** Those of the library and of tools of one's own, by file. */
async function examples(): Promise<Record<string, string>> {
  const codes = [...(await examplesOf("docs/library.md")), ...(await examplesOf("docs/writing-tools.md"))];
  return Object.fromEntries(codes.map((code, index) => [`example-${index}.ts`, code]));
}

/** What the compiler says of a file; what it says of none belongs to all. */
function errorsIn(name: string): string[] {
  const errors = compiled.split(/^(?=\S)/m).filter((line) => line.trim() !== "");
  return errors.filter((error) => error.startsWith(`${name}(`) || !/^\S+\.ts\(/.test(error));
}

/** What the compiler prints about a user's project. */
async function compile(files: Record<string, string>): Promise<string> {
  const folder = join(clone, "user");
  await makeProject(folder, files, clone);
  const strictly = { module: "nodenext", target: "es2024", strict: true, noEmit: true, types: ["node"] };
  const compilerOptions = { ...strictly, skipLibCheck: true };
  await writeFile(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions }));
  const tsc = resolve("node_modules/typescript/bin/tsc");
  const child = spawn(process.execPath, [tsc, "-p", ".", "--pretty", "false"], { cwd: folder });
  return (await collect(child)).stdout;
}

async function pointedTo(): Promise<string[]> {
  const { bin, exports } = JSON.parse(await readFile("package.json", "utf8"));
  return [bin.duet, exports["."].types, exports["."].default].map((path: string) => path.replace("./", ""));
}

/** A tool's arguments have the types of its schema, and it may be written without `defineTool`. */
const schemas = `import { createDuet, defineTool } from "duet-mcp";
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

/** What the library's interfaces are made of has names. */
const names = `import type { ConversationStore, FinishedRun, Model, ModelRequest, OnModelEvent, Source, SourceList, Summary, Turn } from "duet-mcp";
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
    const content = messages.at(-1)?.content ?? "";
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
