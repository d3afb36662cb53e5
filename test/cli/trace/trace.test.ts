import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Outcome } from "../../../src/core/run/outcome.ts";
import type { AgentTrace } from "../../../src/core/run/trace.ts";
import { configFile, type Finished, runProgram as runInOwnProcess, temporaryFolder } from "../../fakes/program.ts";
import { type FakeProvider, type FakeTurn, startFakeProvider } from "../../fakes/provider.ts";
import { runWarmProgram as runProgram } from "../../fakes/warm-program.ts";

let fake: FakeProvider;
let env: Record<string, string>;
let config: string;
beforeEach(async () => {
  fake = await startFakeProvider();
  config = await configFile({
    models: { functionCall: { provider: "openai", model: "cheap" }, answer: { provider: "openai", model: "strong" } },
    providers: { openai: { baseUrl: fake.openaiUrl, prices: { cheap: { input: 1000, output: 1000 } } } },
    mcpServers: { never: { command: join(await temporaryFolder(), "is-not-there") } },
  });
  env = { OPENAI_API_KEY: "a", DUET_HOME: await temporaryFolder() };
});
afterEach(() => fake.close());

async function ask(question: string, ...decide: FakeTurn[]): Promise<Outcome> {
  fake.script("cheap", ...decide);
  fake.script("strong", { text: `About ${question}: it is so.` });
  const { stdout } = await runProgram(["ask", question, "--output", "json", "--config", config], { env });
  return JSON.parse(stdout);
}

function show(...words: string[]): Promise<Finished> {
  return runProgram(["trace", ...words, "--config", config], { env });
}

const call = (text: string): FakeTurn => ({
  text: "I will echo it.",
  toolCalls: [{ name: "echo", arguments: { text } }],
  usage: { input: 1000, output: 100 },
});
const enough: FakeTurn = { text: "Enough.", usage: { input: 1000, output: 10 } };

describe("duet trace", () => {
  test("tells what the last run of any process did", async () => {
    const outcome = await ask("the moon", call("cheese"), enough);
    const words = ["trace", "--locale", "en", "--config", config];
    const { code, stdout, stderr } = await runInOwnProcess(words, { env });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const lines = stdout.split("\n");
    expect(lines[0]).toMatch(new RegExp(`^${outcome.run_id} · 20\\d\\d-\\d\\d-\\d\\d \\d\\d:\\d\\d · agent$`));
    expect(lines.slice(1, 4)).toEqual(["Question: the moon", "Models: openai/cheap → openai/strong", "Steps"]);
    expect(lines.slice(4, 9)).toEqual([
      "1. 💭 I will echo it.",
      '   🔧 echo {"text":"cheese"}',
      expect.stringMatching(/^ {3}✓ \d+ ms cheese$/),
      "2. 💭 Enough.",
      expect.stringMatching(/^ {3}📝 \d+\.\d s About the moon: it is so\.$/),
    ]);
    expect(stdout).toMatch(/🧭 deciding 1 · openai\/cheap 1000→100 tok \d\.\d s \$1\.10\n/);
    expect(stdout).toMatch(/Σ 🧭 deciding ×2 2000→110 tok \d\.\d s \$2\.11\n/);
    expect(stdout).toMatch(/echo ×1 \d+ ms\n/);
    expect(stdout).toContain("ℹ The tool results are enough");
    expect(stdout).toMatch(/⚠ MCP server never is unavailable/);
    expect(stdout).toMatch(/Usage: decide openai\/cheap ×2 2000→110 tok \d\.\d s \$2\.11 · answer openai\/strong ×1/);
    expect(lines.at(-2)).toBe("Ended: a complete answer (answered)");
  });

  test("tells it in Chinese", async () => {
    await ask("月亮", call("奶酪"), enough);
    const { stdout } = await show("--locale", "zh");
    for (const line of [
      "问题：月亮",
      "步骤",
      "阶段",
      "🧭 工具调用阶段 1",
      "工具",
      "备注",
      "结束：完整的回答（已回答）",
    ])
      expect(stdout).toContain(line);
  });

  test("finds an earlier run by its name, and gives its trace as JSON", async () => {
    const first = await ask("the sun", call("fire"), enough);
    await ask("the moon", enough);
    const { code, stdout } = await show(first.run_id, "--output", "json");
    expect(code).toBe(0);
    const trace: AgentTrace = JSON.parse(stdout);
    expect(trace).toMatchObject({ run_id: first.run_id, trace_id: first.trace_id, question: "the sun" });
    expect(trace.steps.map(({ action }) => action?.type)).toEqual(["action", "final"]);
    expect(trace.steps[0]).toMatchObject({ observation: "fire", thought: "I will echo it." });
  });

  test("takes the beginning of a run's name where it is the only one", async () => {
    const first = await ask("the sun", enough);
    const second = await ask("the moon", enough);
    const { stdout } = await show(first.run_id.slice(0, 20));
    expect(stdout).toContain("Question: the sun");
    const both = await show("run-");
    expect(both).toEqual({
      code: 1,
      stdout: "",
      stderr: `duet: more than one run ID starts with run-: ${[first.run_id, second.run_id].sort().join(", ")}\n`,
    });
  });

  test("an empty name is a usage error, and a store in memory has nothing to show, which is said", async () => {
    const empty = await show("");
    expect(empty).toMatchObject({ code: 2, stdout: "" });
    expect(empty.stderr).toBe('duet: trace: "" is not a run ID (omit it to show the last run)\n');
    const memory = await configFile({ conversations: { store: "memory" } });
    for (const words of [["trace"], ["conversations"], ["ask", "x", "-c"]]) {
      const { stdout, stderr } = await runProgram([...words, "--config", memory], { env });
      expect(stdout).toBe("");
      expect(stderr).toContain("With conversations.store: memory, nothing is kept");
      expect(stderr).not.toContain("Ask something first");
    }
  });

  test("with --verbose shows all of what was thought, asked, read and answered", async () => {
    const long = "word ".repeat(200).trim();
    await ask("the moon", { ...call(long), text: long }, enough);
    const short = (await show()).stdout;
    expect(short).not.toContain(long);
    const { stdout } = await show("--verbose");
    expect(stdout.split(long)).toHaveLength(4);
  });

  test("lets nothing that a model wrote drive the terminal", async () => {
    await ask("the \u001b[2Jmoon", { ...call("\u001b[31mred\u0007"), text: "\u001b]0;title\u0007" }, enough);
    for (const words of [[], ["--verbose"], ["--output", "json"]]) {
      const { stdout } = await show(...words);
      expect(stdout).toContain("moon");
      expect(stdout).not.toContain("\u001b");
      expect(stdout).not.toContain("\u0007");
    }
  });

  test("says in one line that there is no such run, or none at all", async () => {
    const none = await show();
    expect(none).toMatchObject({ code: 1, stdout: "" });
    expect(none.stderr).toMatch(/^duet: there is no run yet\..*\n$/);
    await ask("the moon", enough);
    const unknown = await show("run-unheard-of");
    expect(unknown).toMatchObject({ code: 1, stdout: "" });
    expect(unknown.stderr).toMatch(/^duet: there is no run named run-unheard-of\..*\n$/);
  });

  test("shows why a run failed", async () => {
    await ask("the moon", { status: 401, body: '{"error":{"message":"no such key"}}' });
    const { code, stdout } = await show("--locale", "en");
    expect(code).toBe(0);
    expect(stdout).toMatch(/1\. ✗ no answer\n/);
    expect(stdout).toMatch(/Ended: failed \(an error occurred\)\n✗ .*no such key/);
  });
});
