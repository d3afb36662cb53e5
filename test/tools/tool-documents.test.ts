import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import type { Tool } from "../../src/core/tools/tool.ts";
import { builtinTools } from "../../src/tools/builtin/builtin-tools.ts";
import { documentBuiltinTools, documentTools, listBuiltinTools, toExample } from "../../src/tools/tool-documents.ts";
import { configFile, temporaryFolder } from "../fakes/program.ts";
import { runWarmProgram as runProgram } from "../fakes/warm-program.ts";

// docs/development/tool-calling.md#工具文档自动生成.
describe("the page of the built-in tools", () => {
  test.each([
    ["en", "docs/tools.md"],
    ["zh", "docs/tools.zh.md"],
  ] as const)("in %s is what their definitions say (else: npm run docs)", async (locale, file) => {
    expect(await readFile(file, "utf8")).toBe(documentBuiltinTools(locale));
  });

  test("has for each tool a section with its arguments, an example that its checks take, a limit and a permission", async () => {
    const page = documentBuiltinTools("en");
    const tools = listBuiltinTools("en");
    expect(Object.keys(builtinTools)).toEqual(tools.map(({ name }) => name));
    for (const tool of tools) {
      const section = page.split(/^## /m).find((each) => each.startsWith(`\`${tool.name}\``)) ?? "";
      expect(section).toContain(tool.description.split("\n")[0]);
      for (const name of Object.keys(Object(tool.inputSchema.properties)))
        expect(section).toMatch(new RegExp(`^\\| \`${name}\` \\| [^|]`, "m"));
      expect(section).toMatch(/^- Limit: \d+ s per call$/m);
      expect(section).toMatch(/^- Permission: /m);
      for (const example of builtinTools[tool.name]?.examples ?? [])
        expect(await tool.check?.(example), tool.name).toEqual([]);
    }
    expect(page).toMatch(/## `send_email`[\s\S]*you are asked about each call/);
  });
});

describe("the document of a tool", () => {
  const tool: Tool = {
    name: "odd",
    description: "Does | odd\nthings.\u001b[2J",
    inputSchema: {
      type: "object",
      properties: {
        when: { type: "string", enum: ["now", "later"], description: "a | b" },
        many: { type: "array", items: { type: "integer" }, minItems: 1, maxItems: 3 },
        deep: { type: "object", properties: { n: { type: "number", minimum: 2 } }, required: ["n"] },
        limit: { type: "integer", minimum: 1, default: 7 },
      },
      required: ["when", "many", "deep"],
    },
    source: "server",
    annotations: { openWorld: true },
    run: async () => ({ ok: true, text: "" }),
  };

  test("holds types, defaults and an example made of its schema; nothing in it can break the table", () => {
    expect(documentTools([tool], { locale: "en", ask: ["odd"] })).toBe(
      [
        "## `odd`",
        "",
        "Does | odd\nthings.\\u{1b}[2J",
        "",
        "| Argument | Type | Required | Default | Description |",
        "| --- | --- | --- | --- | --- |",
        "| `when` | `now`, `later` | yes |  | a \\| b |",
        "| `many` | integer[], 1-3 | yes |  |  |",
        "| `deep` | object | yes |  |  |",
        "| `limit` | integer, ≥ 1 | no | `7` |  |",
        "",
        "Example:",
        "",
        "```json",
        '{"when":"now","many":[1],"deep":{"n":2}}',
        "```",
        "",
        "- Source: the MCP server server",
        "- Limit: the time of the run",
        "- Permission: may change something, or does not say; goes to the network; you are asked by tools.ask (odd)",
        "",
      ].join("\n"),
    );
    expect(toExample(tool.inputSchema)).toEqual({ when: "now", many: [1], deep: { n: 2 } });
  });
});

test("`duet tools docs` writes a document of every tool of the configuration, those of MCP servers included", async () => {
  const journal = join(await temporaryFolder(), "journal");
  const server = { command: process.execPath, args: [resolve("test/fakes/mcp.ts"), "--journal", journal], timeout: 12 };
  const config = await configFile({ mcpServers: { fake: server }, tools: { ask: ["fake__echo"] } });
  const { stdout, code } = await runProgram(["tools", "docs", "--config", config, "--locale", "en"], {});
  expect(code).toBe(0);
  const sections = stdout.split(/^## /m).slice(1);
  expect(sections.map((section) => section.split("\n")[0])).toEqual(
    expect.arrayContaining(["`calculator`", "`file_search`", "`fake__echo`"]),
  );
  const echo = sections.find((section) => section.startsWith("`fake__echo`"));
  expect(echo).toContain("Gives back its arguments.");
  expect(echo).toContain("| `text` | string | no |");
  expect(echo).toContain(
    "- Source: the MCP server fake\n- Limit: 12 s per call\n- Permission: reads only; you are asked by tools.ask (fake__echo)",
  );
});
