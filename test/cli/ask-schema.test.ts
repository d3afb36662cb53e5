import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { temporaryFolder } from "../fakes/program.ts";
import { type FakeProvider, startFakeProvider } from "../fakes/provider.ts";
import { runWarmProgram } from "../fakes/warm-program.ts";

const schema = {
  type: "object",
  properties: { city: { type: "string" }, population: { type: "integer", minimum: 0 }, note: { type: "string" } },
  required: ["city", "population"],
};

let provider: FakeProvider;
let folder: string;

beforeEach(async () => {
  provider = await startFakeProvider();
  onTestFinished(() => provider.close());
  folder = await temporaryFolder();
  await writeFile(join(folder, "schema.json"), JSON.stringify(schema));
});

/** Runs `duet ask --schema` in chat mode with one model of a vendor. */
function ask(vendor: string, model: string, args: string[] = []) {
  const base_url = vendor === "anthropic" ? provider.anthropicUrl : provider.openaiUrl;
  const key = { openai: "OPENAI", anthropic: "ANTHROPIC", deepseek: "DEEPSEEK" }[vendor] ?? "";
  return runWarmProgram(["ask", "--mode", "chat", "--schema", "schema.json", ...args, "Which city is the largest?"], {
    cwd: folder,
    env: {
      AGENT_FUNCTION_CALL_MODEL: JSON.stringify({ provider: vendor, model, base_url }),
      [`${key}_API_KEY`]: "sk-test-0001",
      DUET_LANG: "en",
    },
  });
}

const strict = { required: ["city", "population", "note"], additionalProperties: false };

describe("duet ask --schema prints the JSON object, and asks the vendor for it in its own way", () => {
  test.each<[string, string, string, string, unknown]>([
    [
      "chat completions",
      "openai",
      "gpt-4o",
      '{"city":"Tokyo","population":37000000,"note":null}',
      { response_format: { type: "json_schema", json_schema: { strict: true, schema: strict } } },
    ],
    [
      "Responses",
      "openai",
      "gpt-6.1-terra",
      '{"city":"Tokyo","population":37000000,"note":null}',
      { text: { format: { type: "json_schema", strict: true, schema: strict } } },
    ],
    [
      "Messages",
      "anthropic",
      "claude-sonnet-5-5",
      '{"city": "Tokyo", "population": 37000000}',
      { output_config: { format: { type: "json_schema", schema: { ...strict, required: ["city", "population"] } } } },
    ],
    [
      "a vendor that knows JSON, but no schemas",
      "deepseek",
      "deepseek-chat",
      '```json\n{"city":"Tokyo","population":37000000}\n```',
      { response_format: { type: "json_object" } },
    ],
  ])("%s", async (_, vendor, model, text, sent) => {
    provider.script(model === "deepseek-chat" ? "deepseek-flash" : model, { text });
    const { code, stdout, stderr } = await ask(vendor, model);
    expect({ code, stdout }, stderr).toEqual({ code: 0, stdout: '{"city":"Tokyo","population":37000000}\n' });
    expect(provider.journal.map(({ body }) => body)).toMatchObject([sent]);
  });
});

test("an answer that does not fit after one correction ends with the reason, and prints nothing", async () => {
  provider.script("gpt-4o", { text: '{"city":"Tokyo","population":-1}' }, { text: '{"city":"Tokyo"}' });
  const { code, stdout, stderr } = await ask("openai", "gpt-4o");
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  expect(stderr).toContain("did not fit its schema (population: must be >= 0 (current value: -1))");
  expect(stderr).toContain("also after one correction: population: this field is required (missing)");
  expect(provider.journal).toHaveLength(2);
});

test("--output json has the object as output", async () => {
  provider.script("gpt-4o", { text: '{"city":"Tokyo","population":1}' });
  const { stdout } = await ask("openai", "gpt-4o", ["--output", "json"]);
  expect(JSON.parse(stdout)).toMatchObject({ status: "complete", output: { city: "Tokyo", population: 1 } });
});

test.each<[string, string | undefined, string]>([
  ["is no JSON", "{", "it is not JSON: "],
  ["describes no object", '{"type":"string"}', '{"type": "string"} does not describe an object'],
  [
    "refers to another file",
    '{"type":"object","properties":{"a":{"$ref":"a.json"}}}',
    '"$ref": "a.json" leads out of the schema',
  ],
  ["does not exist", undefined, "it cannot be read: ENOENT"],
])("a schema file that %s is one line, before any model is called", async (_, content, message) => {
  if (content !== undefined) await writeFile(join(folder, "wrong.json"), content);
  const { code, stdout, stderr } = await ask("openai", "gpt-4o", ["--schema", "wrong.json"]);
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  expect(stderr).toContain(`--schema: "wrong.json": ${message}`);
  expect(stderr.trim().split("\n")).toHaveLength(1);
  expect(provider.journal).toEqual([]);
});
