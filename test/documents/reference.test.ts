import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { cutCode, listExports } from "../../scripts/reference/declarations.ts";
import { listUndocumented, writeReference } from "../../scripts/reference/reference.ts";
import { toTypeText } from "../../scripts/reference/type-text.ts";
import * as library from "../../src/index.ts";

const pages = await writeReference();

test("the reference of the library is what the comments of the source say (else: npm run docs)", () => {
  const files = globSync("docs/reference/*").map((file) => file.replace(/.*[/\\]/, ""));
  expect(files.sort()).toEqual([...pages.keys()].sort());
  for (const [name, text] of pages) expect(readFileSync(`docs/reference/${name}`, "utf8"), name).toBe(text);
});

test("the reference has every name that the library exports, each with a comment", async () => {
  const names = listExports().map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining([...Object.keys(library), "AskOptions", "AgentEvent"]));
  const text = [...pages.values()].join("");
  expect(names.filter((name) => !text.includes(`\n## \`${name}\`\n`))).toEqual([]);
  expect(await listUndocumented()).toEqual([]);
});

test("what a program cannot give, and the bodies of functions, are not in the reference", () => {
  const [asked = ""] = /^interface AskRequest \{[\s\S]*?^\}$/m.exec(pages.get("agent.md") ?? "") ?? [];
  expect(asked).toContain("  instruction?: string | undefined;");
  expect(asked).not.toMatch(/^ {2}(?:question|user|sending)\??: /m);
  expect(pages.get("results.md")).toContain("  constructor(details: ErrorDetails);\n}");
  expect(pages.get("tools.md")).toMatch(
    /function defineTool<Schema[^;]*\): OwnTool<InferOutput<Schema>>;\nfunction defineTool\(tool: OwnTool\): OwnTool;\n```/,
  );
});

test("a declaration ends where its brackets close", () => {
  const code = ["export type A =", '  | { type: "a"; b: string }', "  | B;", "", "export type C = 1;"];
  expect(cutCode(code, "type")).toBe(code.slice(0, 3).join("\n").trim());
  const one = ["export async function go(a: string): Promise<{ b: 1 }> {", "  return { b: 1 };", "}"];
  expect(cutCode(one, "function")).toBe("export function go(a: string): Promise<{ b: 1 }>;");
});

test("a schema is written as a type, with the names of its parts and the comments of its source", () => {
  const mode = { enum: ["a", "b"] };
  const schema = {
    type: "object",
    properties: {
      mode,
      cost: { type: ["number", "null"] },
      "x-y": { type: "array", items: { anyOf: [mode, { const: 1 }] } },
    },
    required: ["mode"],
  };
  const options = {
    findName: (inner: object) => (inner === mode ? "Mode" : undefined),
    findComment: (property: string) => (property === "cost" ? "Is null where nobody knows." : undefined),
  };
  expect(toTypeText(schema, options)).toBe(
    '{\n  mode: Mode;\n  /** Is null where nobody knows. */\n  cost?: number | null;\n  "x-y"?: (Mode | 1)[];\n}',
  );
});
