import { execFile } from "node:child_process";
import { copyFile, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { getMcpConfigForManifest, unpackExtension, v0_3 } from "@anthropic-ai/mcpb";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { expect, onTestFinished, test } from "vitest";
import { findPathOfVariable } from "../../src/config/sources/environment.ts";
import { version } from "../../src/kit/version.ts";
import { vendors } from "../../src/providers/vendors.ts";
import { startCollector } from "../fakes/collector.ts";
import { programEnvironment, temporaryFolder } from "../fakes/program.ts";

const run = promisify(execFile);

test("the bundle, unpacked and started as its manifest says, answers a question and sends its spans, with nothing filled in", async () => {
  const folder = await temporaryFolder();
  const file = join(folder, "duet.mcpb");
  await run(process.execPath, ["scripts/mcpb.mjs", file]);
  const extensionPath = join(folder, "extension");
  expect(await unpackExtension({ mcpbPath: file, outputDir: extensionPath, silent: true })).toBe(true);
  expect((await readdir(extensionPath)).sort()).toEqual([
    "LICENSE",
    "icon.png",
    "manifest.json",
    "node_modules",
    "package.json",
    "server",
  ]);

  const notices = await readFile(join(extensionPath, "server/THIRD-PARTY-NOTICES.txt"), "utf8");
  expect(notices).toMatch(/^undici \d/m);

  const manifest = v0_3.McpbManifestSchema.parse(
    JSON.parse(await readFile(join(extensionPath, "manifest.json"), "utf8")),
  );
  expect(manifest).toMatchObject({
    version,
    tools: [{ name: "agent_ask" }, { name: "agent_result" }, { name: "agent_cancel" }],
  });
  const secrets = Object.entries(manifest.user_config ?? {}).filter(([, { sensitive }]) => sensitive);
  const keys = Object.values(vendors).map(({ keyEnv }) => keyEnv);
  for (const [name] of secrets) {
    const variable = name.toUpperCase();
    expect(keys.includes(variable) || findPathOfVariable(variable) !== undefined, variable).toBe(true);
    expect(manifest.server.mcp_config.env).toHaveProperty(variable, placeholder(name));
  }

  // Nothing is filled in: fields with an empty default arrive empty, others as their placeholder.
  const host = { systemDirs: {}, userConfig: {}, pathSeparator: "/" };
  const { args = [], env } = (await getMcpConfigForManifest({ manifest, extensionPath, ...host })) ?? {};
  expect(env).toMatchObject({ DEEPSEEK_API_KEY: "", DUET_BUNDLE_CONFIG: placeholder("config") });
  const client = new Client({ name: "claude-ai", version: "1" });
  onTestFinished(() => client.close());
  const whole = { ...(await programEnvironment()), ...env, OPENAI_API_KEY: placeholder("openai_api_key") };
  const transport = new StdioClientTransport({
    command: process.execPath,
    args,
    env: whole,
    cwd: "/",
    stderr: "ignore",
  });
  await client.connect(transport);
  const { content } = await client.callTool({ name: "agent_ask", arguments: { question: "average of [1,2,6]?" } });
  expect(content).toMatchObject([{ type: "text", text: expect.stringContaining("The mean is 3.") }]);

  const collector = await startCollector();
  const program = join(extensionPath, "server/duet.js");
  await run(process.execPath, [program, "ask", "average of [1,2,6]?"], {
    env: await programEnvironment({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url }),
  });
  expect(collector.spans().map(({ name }) => name)).toContain("execute_tool calculator");
});

test.each([
  [
    "a file and a language",
    { DUET_BUNDLE_CONFIG: "/a/duet.json", DUET_BUNDLE_LOCALE: "zh" },
    ["--config", "/a/duet.json", "--locale", "zh"],
  ],
  ["nothing", { DUET_BUNDLE_CONFIG: "", DUET_BUNDLE_LOCALE: "" }, []],
  [
    "placeholders",
    { DUET_BUNDLE_CONFIG: placeholder("config"), DEEPSEEK_API_KEY: placeholder("deepseek_api_key") },
    [],
  ],
])("the bundle hands on what its user has filled in: %s", async (_, env, words) => {
  const folder = await temporaryFolder();
  await copyFile("scripts/mcpb/main.mjs", join(folder, "main.mjs"));
  await writeFile(
    join(folder, "duet.js"),
    "console.log(JSON.stringify([process.argv.slice(2), process.env.DEEPSEEK_API_KEY]))",
  );
  const { stdout } = await run(process.execPath, [join(folder, "main.mjs")], { env });
  expect(JSON.parse(stdout)).toEqual([["serve", ...words], null]);
});

function placeholder(field: string): string {
  return `\${user_config.${field}}`;
}
