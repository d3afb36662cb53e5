import { describe, expect, test } from "vitest";
import { type PlanRules, parsePlan } from "../../../src/agent/plan/parse-plan.ts";
import type { JsonSchema } from "../../../src/kit/json.ts";
import { createBuiltinTool, createSuccess } from "../../../src/tools/create-tool.ts";
import { withValidation } from "../../../src/tools/schema/with-validation.ts";
import { written } from "./planning.ts";

function tool(name: string, inputSchema: JsonSchema) {
  const run = async () => createSuccess("");
  return [name, withValidation(createBuiltinTool({ name, description: name, inputSchema, run }))] as const;
}

const numbers = { type: "array", items: { type: "number" } };
const tools = new Map([
  tool("read", { type: "object", properties: { path: { type: "string" } }, required: ["path"] }),
  tool("mean", { type: "object", properties: { numbers, unit: { type: "string" } }, required: ["numbers"] }),
]);
const rules: PlanRules = { tools, first: 1, known: new Set(), mostCalls: 5, locale: "en" };
const read = { tool: "read", parameters: { path: "a.txt" } };

async function problemsOf(text: string, more: Partial<PlanRules> = {}): Promise<string[]> {
  const parsed = await parsePlan(text, { ...rules, ...more });
  return "problems" in parsed ? parsed.problems : [];
}

describe("a plan that can be used", () => {
  test.each([
    ["bare", written(read)],
    ["in a code fence", `\`\`\`json\n${written(read)}\n\`\`\``],
    ["in a fence without a name, between prose", `Here it is:\n\n\`\`\`\n${written(read)}\n\`\`\`\nShall I go on?`],
    ["between prose", `Sure! ${written(read)} That is all.`],
    ["with blanks and line ends", `\n  ${JSON.stringify(JSON.parse(written(read)), undefined, 2)}\n`],
  ])("%s is read", async (_, text) => {
    expect(await parsePlan(text, rules)).toEqual({
      steps: [{ description: "Use read", tool: "read", parameters: { path: "a.txt" } }],
    });
  });

  test("may have steps without a tool, and none at all", async () => {
    expect(await parsePlan('{"steps":[]}', rules)).toEqual({ steps: [] });
    expect(await parsePlan('{"steps":[{"step":1,"description":"Think","tool":null}]}', rules)).toEqual({
      steps: [{ description: "Think", tool: "", parameters: {} }],
    });
  });

  test("may leave to its references what the schema asks for", async () => {
    const mean = { tool: "mean", parameters: { numbers: "{{step_1.values}}", unit: "?" } };
    expect(await problemsOf(written(read, mean))).toEqual([]);
    expect(await problemsOf(written(read, { tool: "mean", parameters: { numbers: ["{{step_1[0].a b}}"] } }))).toEqual(
      [],
    );
  });

  test("goes on after steps that are done, with their numbers", async () => {
    const rest = written({ ...read, step: 4, parameters: { path: "{{step_2}}" } });
    expect(await problemsOf(rest, { first: 4, known: new Set([2]) })).toEqual([]);
    expect(await problemsOf(rest, { first: 4, known: new Set([1]) })).toEqual([
      "step 4: parameters path: {{step_2}} does not name an earlier step with a result",
    ]);
  });
});

describe("a plan that cannot be used names each of its problems", () => {
  test.each([
    ["no JSON", "I would read the file first.", 'the reply is not JSON of the form {"steps":[...]}'],
    ["JSON that is cut off", written(read).slice(0, -3), 'the reply is not JSON of the form {"steps":[...]}'],
    ["a list", "[1, 2]", 'the reply is not JSON of the form {"steps":[...]}'],
    ["another object", '{"plan":[]}', 'the reply is not JSON of the form {"steps":[...]}'],
    ["a step that is no object", '{"steps":["read a.txt"]}', 'step 1: is not an object (current value: "read a.txt")'],
    ["a wrong number", written({ ...read, step: 2 }), 'step 1: "step" must be 1 (current value: 2)'],
    ["no purpose", written({ ...read, description: " " }), 'step 1: "description" is missing'],
    ["an unknown tool", written({ tool: "reed" }), "step 1: there is no tool named reed (allowed: read, mean)"],
    ["a missing parameter", written({ tool: "read" }), "step 1: parameters path: this field is required (missing)"],
    [
      "a wrong type",
      written({ tool: "mean", parameters: { numbers: [1, "2"] } }),
      'step 1: parameters numbers[1]: must be a number (current value: "2")',
    ],
    [
      "a wrong type beside a reference",
      written(read, { tool: "mean", parameters: { numbers: "{{step_1}}", unit: 5 } }),
      "step 2: parameters unit: must be a string (current value: 5)",
    ],
    [
      "a reference to itself",
      written({ tool: "read", parameters: { path: "{{step_1}}" } }),
      "step 1: parameters path: {{step_1}} does not name an earlier step with a result",
    ],
    [
      "a reference to a step without a tool",
      written({}, { tool: "read", parameters: { path: "x/{{step_1}}" } }),
      "step 2: parameters path: {{step_1}} does not name an earlier step with a result",
    ],
    [
      "what looks like a reference and is none",
      written(read, { tool: "read", parameters: { path: "{{steps.1}}" } }),
      "step 2: parameters path: {{steps.1}} cannot be read; write {{step_1}} or {{step_1.field}}",
    ],
  ])("%s", async (_, text, problem) => {
    expect(await problemsOf(text)).toContain(problem);
  });

  test("blank lines without end in a code fence, as some models write them: no harm is done", async () => {
    for (const blank of ["\n", " \n"])
      expect(await problemsOf(`\`\`\`json${blank.repeat(100_000)}x`)).toEqual([
        'the reply is not JSON of the form {"steps":[...]}',
      ]);
  });

  test("more than a hundred steps, however many calls are allowed", async () => {
    const steps = Array.from({ length: 120 }, () => read);
    expect(await problemsOf(written(...steps), { mostCalls: 150 })).toEqual([
      "the plan calls tools 120 times (allowed: at most 100); merge or remove steps",
    ]);
  });

  test("more calls than the limit allows, counted without the steps that have no tool", async () => {
    expect(await problemsOf(written(read, read, {}), { mostCalls: 2 })).toEqual([]);
    expect(await problemsOf(written(read, read, read), { mostCalls: 2 })).toEqual([
      "the plan calls tools 3 times (allowed: at most 2); merge or remove steps",
    ]);
  });

  test("parameters nested without end, a thousand steps, a step's own prototype: no harm is done", async () => {
    const deep = `${'{"a":'.repeat(5000)}1${"}".repeat(5000)}`;
    const text = `{"steps":[{"step":1,"description":"x","tool":"read","parameters":${deep}}]}`;
    expect((await problemsOf(text))[0]).toBe("step 1: is nested too deep");
    expect((await problemsOf(written(...Array.from({ length: 1000 }, () => read)))).at(-1)).toContain("1000 times");
    const own = '{"steps":[{"step":1,"description":"x","tool":"__proto__","parameters":{"__proto__":{"a":1}}}]}';
    expect(await problemsOf(own)).toEqual(["step 1: there is no tool named __proto__ (allowed: read, mean)"]);
  });
});
