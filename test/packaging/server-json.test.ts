import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import * as z from "zod";
import { findPathOfVariable } from "../../src/config/sources/environment.ts";
import { vendors } from "../../src/providers/vendors.ts";

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
  packages: z.array(
    z.strictObject({
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
    }),
  ),
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
  const variables = server.packages.flatMap(({ environmentVariables }) => environmentVariables);
  const keys = Object.values(vendors).map(({ keyEnv }) => keyEnv);
  for (const { name, isSecret } of variables) {
    expect(keys.includes(name) || findPathOfVariable(name) !== undefined, name).toBe(true);
    expect(isSecret ?? false, name).toBe(name.endsWith("_KEY"));
  }
});
