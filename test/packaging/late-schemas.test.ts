import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { temporaryFolder } from "../fakes/program.ts";

const run = promisify(execFile);

/**
 * Prints, for the package as it is and as the build changes it, each schema of the specification, and what a server answers. Zod is the
 * same in both, so that its schemas can be compared.
 */
const code = `import { build } from "esbuild";
import { lateSchemas } from "./scripts/build/late-schemas.mjs";
const outfile = process.argv[1];
const contents = \`
import { InMemoryTransport, isSpecType, McpServer, specTypeSchemas } from "@modelcontextprotocol/server";
import * as z from "zod";
async function initialize(protocolVersion) {
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  const server = new McpServer({ name: "test", version: "0" }, { capabilities: { tools: {} } });
  server.registerTool("add", { inputSchema: z.object({ a: z.number() }) }, ({ a }) => ({ content: [{ type: "text", text: String(a) }] }));
  const answers = [];
  theirs.onmessage = (message) => void answers.push(message);
  await theirs.start();
  await server.connect(ours);
  const call = (id, method, params) => theirs.send({ jsonrpc: "2.0", id, method, params });
  await call(1, "initialize", { protocolVersion, capabilities: {}, clientInfo: { name: "t", version: "0" } });
  await call(2, "tools/list", {});
  await call(3, "tools/call", { name: "add", arguments: { a: 1 } });
  await call(4, "tools/call", { name: 1 });
  while (answers.length < 4) await new Promise((resolve) => setImmediate(resolve));
  return answers.sort((a, b) => a.id - b.id);
}
const schemas = Object.entries(specTypeSchemas).map(([name, schema]) => [name, z.toJSONSchema(schema, { unrepresentable: "any" })]);
export const made = { schemas, checks: Object.keys(isSpecType), answers: await initialize("2025-11-25") };
\`;
const made = [];
for (const plugins of [[], [lateSchemas]]) {
  const file = \`\${outfile}-\${plugins.length}.mjs\`;
  const stdin = { contents, resolveDir: process.cwd() };
  await build({ stdin, outfile: file, bundle: true, platform: "node", format: "esm", plugins, logLevel: "error" });
  made.push((await import(file)).made);
}
process.stdout.write(JSON.stringify(made));`;

test("the MCP packages' schemas that are built when first used are those of the packages, and servers answer the same", async () => {
  const outfile = join(await temporaryFolder(), "bundle");
  const { stdout } = await run(process.execPath, ["--input-type=module", "-e", code, outfile], {
    maxBuffer: 50_000_000,
  });
  const [given, late] = JSON.parse(stdout);
  expect(given.schemas.length).toBeGreaterThan(150);
  expect(given.answers.map(({ id }: { id: number }) => id)).toEqual([1, 2, 3, 4]);
  expect(late).toEqual(given);
});
