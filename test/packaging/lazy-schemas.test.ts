import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { temporaryFolder } from "../fakes/program.ts";

const run = promisify(execFile);

/** Has a server of the package initialized, list its tools and called, rightly and wrongly. */
const askServer = `
async function exchange() {
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  const server = new McpServer({ name: "test", version: "0" }, { capabilities: { tools: {} } });
  server.registerTool("add", { inputSchema: z.object({ a: z.number() }) }, ({ a }) => ({ content: [{ type: "text", text: String(a) }] }));
  const answers = [];
  theirs.onmessage = (message) => void answers.push(message);
  await theirs.start();
  await server.connect(ours);
  const call = (id, method, params) => theirs.send({ jsonrpc: "2.0", id, method, params });
  await call(1, "initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "t", version: "0" } });
  await call(2, "tools/list", {});
  await call(3, "tools/call", { name: "add", arguments: { a: 1 } });
  await call(4, "tools/call", { name: 1 });
  while (answers.length < 4) await new Promise((resolve) => setImmediate(resolve));
  return answers.sort((a, b) => a.id - b.id);
}`;

/** Has a client of the package ask a server whose answers are written here, of which the last is wrong. */
const askClient = `
async function exchange() {
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  const results = [
    { protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo: { name: "t", version: "0" } },
    { tools: [{ name: "add", inputSchema: { type: "object" } }] },
    { content: [{ type: "text", text: "1" }], structuredContent: { a: 1 } },
    { content: "none" },
  ];
  theirs.onmessage = ({ id }) => {
    if (id !== undefined) void theirs.send({ jsonrpc: "2.0", id, result: results.shift() });
  };
  await theirs.start();
  const client = new Client({ name: "test", version: "0" }, { versionNegotiation: { mode: "legacy" } });
  await client.connect(ours);
  const listed = await client.listTools();
  const called = await client.callTool({ name: "add", arguments: {} });
  const refused = await client.callTool({ name: "add", arguments: {} }).catch(({ message }) => message);
  return [client.getServerVersion(), listed, called, refused];
}`;

const packages = {
  server: { names: "InMemoryTransport, isSpecType, McpServer, specTypeSchemas", exchange: askServer },
  client: { names: "Client, InMemoryTransport, isSpecType, specTypeSchemas", exchange: askClient },
};

/**
 * Prints, for a package as it is and as the build changes it, each schema of the specification, and an exchange. Zod is the same in both,
 * so that its schemas can be compared.
 */
const toCode = (name: string, { names, exchange }: (typeof packages)["server"]): string => `
import { build } from "esbuild";
import { lazySchemas } from "./scripts/build/lazy-schemas.mjs";
const outfile = process.argv[1];
const contents = ${JSON.stringify(`
import { ${names} } from "@modelcontextprotocol/${name}";
import * as z from "zod";
${exchange}
const schemas = Object.entries(specTypeSchemas).map(([name, schema]) => [name, z.toJSONSchema(schema, { unrepresentable: "any" })]);
export const made = { schemas, checks: Object.keys(isSpecType), answers: await exchange() };
`)};
const made = [];
for (const plugins of [[], [lazySchemas]]) {
  const file = \`\${outfile}-\${plugins.length}.mjs\`;
  const stdin = { contents, resolveDir: process.cwd() };
  await build({ stdin, outfile: file, bundle: true, platform: "node", format: "esm", plugins, logLevel: "error" });
  made.push((await import(file)).made);
}
process.stdout.write(JSON.stringify(made));`;

test.each(Object.entries(packages))(
  "the schemas of the MCP %s that are built when first used are those of the package, and it answers the same",
  async (name, asked) => {
    const outfile = join(await temporaryFolder(), "bundle");
    const flags = ["--input-type=module", "-e", toCode(name, asked), outfile];
    const { stdout } = await run(process.execPath, flags, { maxBuffer: 50_000_000 });
    const [given, lazy] = JSON.parse(stdout);
    expect(given.schemas.length).toBeGreaterThan(150);
    expect(given.answers).toHaveLength(4);
    expect(lazy).toEqual(given);
  },
);
