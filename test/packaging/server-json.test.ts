import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import * as z from "zod";
import { findPathOfVariable } from "../../src/config/sources/environment.ts";
import { vendors } from "../../src/providers/vendors.ts";
import { temporaryFolder } from "../fakes/program.ts";

const run = promisify(execFile);

/** The rules of the schema of 2025-12-11 that concern this file, and those of the registry itself. */
const version = z
  .string()
  .max(255)
  .regex(/^\d+\.\d+\.\d+(?:-[\w.]+)?$/);
const input = {
  description: z.string().optional(),
  isRequired: z.boolean().optional(),
  isSecret: z.boolean().optional(),
  format: z.enum(["string", "number", "boolean", "filepath"]).optional(),
  value: z.string().optional(),
  default: z.string().optional(),
  placeholder: z.string().optional(),
  choices: z.array(z.string()).optional(),
};
const npmPackage = z.strictObject({
  registryType: z.literal("npm"),
  registryBaseUrl: z.literal("https://registry.npmjs.org"),
  identifier: z.string(),
  version,
  runtimeHint: z.literal("npx"),
  transport: z.strictObject({ type: z.literal("stdio") }),
  packageArguments: z.array(
    z.discriminatedUnion("type", [
      z.strictObject({ type: z.literal("positional"), ...input, value: z.string() }),
      z.strictObject({ type: z.literal("named"), name: z.string().startsWith("--"), ...input }),
    ]),
  ),
  environmentVariables: z.array(z.strictObject({ name: z.string(), ...input })),
});
const bundle = z.strictObject({
  registryType: z.literal("mcpb"),
  identifier: z.url({ protocol: /^https$/ }),
  version,
  fileSha256: z.string().regex(/^[a-f0-9]{64}$/),
  transport: z.strictObject({ type: z.literal("stdio") }),
});
const schema = z.strictObject({
  $schema: z.literal("https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"),
  name: z
    .string()
    .min(3)
    .max(200)
    .regex(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/),
  title: z.string().min(1).max(100),
  description: z.string().min(1).max(100),
  version,
  repository: z.strictObject({ url: z.url(), source: z.literal("github") }),
  packages: z.tuple([npmPackage], bundle),
});

const readJson = (file: string): unknown => JSON.parse(readFileSync(file, "utf8"));
const manifest = z
  .object({ name: z.string(), version: z.string(), mcpName: z.string() })
  .parse(readJson("package.json"));
const server = schema.parse(readJson("server.json"));

test("the registry's file names the package, its version and the name that the package gives back", () => {
  expect(server).toMatchObject({ name: manifest.mcpName, version: manifest.version });
  expect(server.packages).toMatchObject([{ identifier: manifest.name, version: manifest.version }]);
});

test("every variable it names is one that Duet reads, and every key among them is a secret", () => {
  const variables = server.packages[0].environmentVariables;
  const keys = Object.values(vendors).map(({ keyEnv }) => keyEnv);
  for (const { name, isSecret } of variables) {
    expect(keys.includes(name) || findPathOfVariable(name) !== undefined, name).toBe(true);
    expect(isSecret ?? false, name).toBe(name.endsWith("_KEY"));
  }
});

function hash(bytes: string | Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

async function describeRelease(tag: string): Promise<string> {
  const folder = await temporaryFolder();
  await writeFile(join(folder, `duet-mcp-${manifest.version}.tgz`), "the package");
  await writeFile(join(folder, "duet.mcpb"), "the bundle");
  await run(process.execPath, ["scripts/release.mjs", folder, tag]);
  return folder;
}

test("a release names its bundle with its checksum in the registry's file, and has checksums of all its files", async () => {
  const folder = await describeRelease(`v${manifest.version}`);
  const [own, bundled] = schema.parse(readJson(join(folder, "server.json"))).packages;
  expect(own).toEqual(server.packages[0]);
  expect(bundled).toEqual({
    registryType: "mcpb",
    identifier: `https://github.com/duet-mcp/duet/releases/download/v${manifest.version}/duet.mcpb`,
    version: manifest.version,
    fileSha256: hash("the bundle"),
    transport: { type: "stdio" },
  });
  const names = [`duet-mcp-${manifest.version}.tgz`, "duet.mcpb", "server.json"];
  const sums = names.map((name) => `${hash(readFileSync(join(folder, name)))}  ${name}\n`);
  expect(await readFile(join(folder, "SHA256SUMS"), "utf8")).toBe(sums.join(""));
});

test("a tag that is not the version is refused", async () => {
  await expect(describeRelease("v9.9.9")).rejects.toThrow(`tag: v9.9.9 (allowed: v${manifest.version}`);
});
