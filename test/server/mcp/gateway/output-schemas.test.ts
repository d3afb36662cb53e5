// A host on the MCP SDK 1.x compiles the output schemas of a list, and has no list where one cannot be compiled.
import { writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createOutputSchemaCheck } from "../../../../src/app/tools/output-schemas.ts";
import type { Tool } from "../../../../src/core/tools/tool.ts";
import { findHostFault } from "../../../../src/tools/schema/find-host-fault.ts";
import { duetWith } from "../../../fakes/callers.ts";
import { startHttpDuet } from "../../../fakes/http-duet.ts";
import { compileCache, temporaryFolder } from "../../../fakes/program.ts";
import { hosts } from "./hosts.ts";

const schemaOf = (field: object): Record<string, unknown> => ({ type: "object", properties: { field } });
const good = schemaOf({ type: "string", format: "date" });

/** A server with a tool whose output schema leads nowhere, and one whose output schema is right. */
async function readServers(): Promise<Record<string, object>> {
  const file = join(await temporaryFolder(), "tools.json");
  const tool = (name: string, outputSchema: object) => ({ name, inputSchema: { type: "object" }, outputSchema });
  await writeFile(file, JSON.stringify([tool("broken", schemaOf({ $ref: "#/$defs/none" })), tool("good", good)]));
  const args = [resolve("test/fakes/mcp.ts"), "--mode", "tools-from-file", "--tools", file];
  return { below: { command: process.execPath, args, env: compileCache() } };
}

test("a tool whose output schema nobody can compile is listed and called without it, beside all others", async () => {
  const environment = { PATH: process.env.PATH ?? "", DUET_HOME: await temporaryFolder() };
  const settings = { mcpServers: await readServers() };
  const { origin } = await startHttpDuet({ settings, environment, exposing: { expose: "tools" } });
  for (const [, connect] of hosts) {
    const host = await connect({ url: `${origin}/mcp` });
    onTestFinished(() => host.close());
    const listed = new Map((await host.listTools()).map((tool) => [tool.name, tool]));
    expect(listed.get("below__broken")).not.toHaveProperty("outputSchema");
    expect(listed.get("below__good")).toMatchObject({ outputSchema: good });
    expect((await host.call("below__broken")).isError).toBeFalsy();
  }
});

test("the operator is told once that hosts do not get it, and why", async () => {
  const lines: string[] = [];
  const duet = await duetWith({ warn: ({ en }) => lines.push(en) }, { mcpServers: await readServers() });
  await duet.gateway().tools();
  await duet.gateway().tools();
  expect(lines).toEqual([
    "MCP server below: tool below__broken: its output schema cannot be compiled (can't resolve reference #/$defs/none from id #); hosts get the tool without it, and its results are not checked.",
  ]);
});

test.each([
  ["a pattern that JavaScript does not know", { pattern: "^[\\w-\\.]+$" }, "Invalid regular expression"],
  ["a type that there is not", { type: "any" }, "type must be JSONType"],
  ["a schema that is named as in draft 4", { id: "City" }, 'use "$id"'],
])("%s is a reason", (_, field, reason) => {
  expect(findHostFault(schemaOf(field))?.en).toContain(reason);
});

const toTools = (...schemas: Record<string, unknown>[]): Tool[] =>
  schemas.map((outputSchema, index) => ({
    ...{ name: `t${index}`, description: "", inputSchema: { type: "object" }, outputSchema, source: "below" },
    ...{ annotations: {}, run: () => Promise.reject(new Error("not run")) },
  }));

const ofLength = (characters: number) => schemaOf({ enum: ["x".repeat(characters)] });

test("a schema that would take long to compile is left out, whose descriptions do not count", async () => {
  const described = schemaOf({ type: "string", description: "x".repeat(20_000) });
  const found = await createOutputSchemaCheck()(toTools(described, ofLength(8000)));
  expect(found.map(({ tool: { name }, fault: { en } }) => [name, en])).toEqual([
    ["t1", expect.stringMatching(/^its output schema has 80\d\d characters without descriptions \(limit 8000\)$/)],
  ]);
});

test("the schemas of a list are compiled up to a limit in all, which is the same for each list", async () => {
  const check = createOutputSchemaCheck();
  const tools = toTools(...Array.from({ length: 15 }, () => ofLength(7900)));
  for (const found of [...(await Promise.all([check(tools), check(tools)])), await check(tools)]) {
    expect(found.map(({ tool }) => tool.name)).toEqual(["t12", "t13", "t14"]);
    expect(found[0]?.fault.en).toMatch(
      /^with its output schema, those of the list have 10\d{4} characters .+ \(limit 100000\)$/,
    );
  }
});

test("a tuple, a dialect and a name of its own are none", () => {
  const tuple = { type: "array", items: [{ type: "string" }] };
  const $schema = "https://json-schema.org/draft/2020-12/schema";
  expect(findHostFault({ $schema, $id: "https://example.com/city", ...schemaOf(tuple) })).toBeUndefined();
});
