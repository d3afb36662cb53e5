import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { openEvaluator } from "../../../src/app/agent/load-evaluator.ts";
import { openDuet } from "../../../src/app/open-duet.ts";
import { loadConfig } from "../../../src/config/load-config.ts";
import type { AgentEvent } from "../../../src/core/run/events.ts";
import { DuetError } from "../../../src/kit/errors.ts";
import { workplace } from "../../config/workplace.ts";
import { scriptedModel } from "../../fakes/model.ts";
import { collect, type Finished, startProgram } from "../../fakes/program.ts";
import { startFakeProvider } from "../../fakes/provider.ts";
import { runWarmProgram as runProgram } from "../../fakes/warm-program.ts";

/** Ends the tool calls after the first round, with what it was told as the reason. */
const body = `{
  const [{ tool, arguments: given, ok, text }] = facts.results;
  const told = [facts.question, facts.iterations, facts.toolCalls, facts.allResults.length, tool, given.expression, ok, text];
  return { verdict: "answer", reason: told.join("|") };
}`;
const told = "How much?|1|1|1|calculator|6*7|true|6*7 = 42";

/** A directory with these files, one of which the configuration names as the evaluator. */
function setUp(module: string, files: Record<string, string>, more: Record<string, unknown> = {}): string {
  const config = { agent: { evaluation: { module } }, search: { enabled: false }, ...more };
  return workplace({ "duet.config.json": JSON.stringify(config), ...files });
}

function run(cwd: string, ...args: string[]): Promise<Finished> {
  return runProgram(args, { cwd });
}

describe("an evaluator of the user's own", () => {
  test.each([
    ["evaluate.mjs", `export default async (facts) => ${body}`],
    ["evaluate.js", `export default (facts) => ${body}`],
    ["evaluate.cjs", `module.exports = (facts) => ${body}`],
    ["evaluate.ts", `interface Facts { results: any[] }\nexport default (facts: any): { verdict: string } => ${body}`],
    ["evaluate.mjs", `import { verdict } from "./more.mjs";\nexport default (facts) => verdict(facts);`],
  ])("in %s is asked after a round and ends the tool calls: %#", async (name, text) => {
    const provider = await startFakeProvider();
    onTestFinished(() => provider.close());
    provider.script("cheap", { toolCalls: [{ name: "calculator", arguments: { expression: "6*7" } }] });
    provider.script("strong", { text: "It is 42." });
    const model = (id: string) => ({ provider: "openai", model: id, baseUrl: provider.openaiUrl });
    const files = { [name]: text, "more.mjs": `export const verdict = (facts) => ${body}` };
    const cwd = setUp(name, files, { models: { functionCall: model("cheap"), answer: model("strong") } });
    const env = { OPENAI_API_KEY: "sk-test-openai-0001" };
    const { code, stdout, stderr } = await runProgram(["ask", "How much?", "--output", "jsonl"], { cwd, env });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const events = stdout
      .trim()
      .split("\n")
      .map((line): AgentEvent => JSON.parse(line));
    const [evaluation, ...others] = events.filter(({ type }) => type === "evaluation");
    expect(others).toEqual([]);
    expect(evaluation).toMatchObject({ verdict: "answer", reason: "custom" });
    expect(JSON.stringify(evaluation)).toContain(told);
    expect(provider.requests("cheap")).toHaveLength(1);
    expect(provider.requests("strong")).toHaveLength(1);
  });

  test("may log: that goes to stderr, and stdout has the outcome alone", async () => {
    const noise =
      'import named from "node:console";\nconsole.log("loaded"); named.info("by name"); console.table([1]);';
    const cwd = setUp("./noisy.mjs", { "noisy.mjs": `${noise}\nexport default () => ({ verdict: "continue" })` });
    const { stdout, stderr } = await run(cwd, "ask", "6*7", "--output", "json", "--locale", "en");
    expect(JSON.parse(stdout)).toMatchObject({ success: true });
    expect(stderr).toContain("loaded\nby name\n");
  });

  test("gives way to the one that a program brings itself", async () => {
    const directory = setUp("./evaluate.mjs", { "evaluate.mjs": "export default () => ({ verdict: 'continue' })" });
    const config = await loadConfig({}, { HOME: directory }, directory);
    const calls = [{ id: "1", name: "calculator", input: { expression: "6*7" } }];
    const model = scriptedModel([calls, "It is 42."]);
    const duet = await openDuet(config, {
      models: { functionCall: model, answer: model },
      evaluator: () => ({ verdict: "answer", reason: "mine" }),
    });
    onTestFinished(() => duet.close());
    const events = await Array.fromAsync(duet.ask({ question: "How much?" }));
    expect(events.filter(({ type }) => type === "evaluation")[0]).toMatchObject({
      verdict: "answer",
      reason: "custom",
    });
  });
});

describe("an evaluator that never returns", () => {
  const facts = { question: "q", iterations: 1, toolCalls: 1, results: [], allResults: [] };
  // It blocks its thread as an endless loop does, but leaves the processor alone; modules that loop are in module-threads.test.ts.
  const blockForever = "Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)";

  test("is ended at its limit with a readable error, and is started again with nothing in memory", async () => {
    const text = `let asked = 0;
export default ({ question }) => { asked++; if (question === "block") ${blockForever}; return { verdict: "answer", reason: String(asked) }; }`;
    const directory = workplace({ "evaluate.mjs": text });
    const path = join(directory, "evaluate.mjs");
    const { evaluate, close } = await openEvaluator(path, () => {}, { loadMs: 20_000, callMs: 5000 });
    onTestFinished(close);
    const { signal } = new AbortController();
    await evaluate({ ...facts, signal });
    expect(await evaluate({ ...facts, signal })).toEqual({ verdict: "answer", reason: "2" });
    const lost = "What it kept in memory is lost; the next call starts it again.";
    await expect(evaluate({ ...facts, question: "block", signal })).rejects.toThrow(
      `${path} kept its thread busy until the time limit of 5 s and was stopped. ${lost}`,
    );
    expect(await evaluate({ ...facts, signal })).toEqual({ verdict: "answer", reason: "1" });
  });

  test("leaves the run to the built-in rules, and the run says so", async () => {
    const directory = setUp("./evaluate.mjs", { "evaluate.mjs": `export default () => { ${blockForever}; }` });
    const config = await loadConfig({ locale: "en" }, { HOME: directory }, directory);
    const model = scriptedModel([[{ id: "1", name: "calculator", input: { expression: "6*7" } }], "It is 42."]);
    const duet = await openDuet(config, { models: { functionCall: model, answer: model } });
    onTestFinished(() => duet.close());
    const events = await Array.fromAsync(duet.ask({ question: "How much?" }));
    const notices = events.filter((event) => event.type === "notice" && event.code === "evaluator-failed");
    expect(notices).toMatchObject([{ message: expect.stringContaining("kept its thread busy until the time limit") }]);
    expect(events.at(-1)).toMatchObject({ type: "run-end", outcome: { response: "It is 42." } });
  });
});

describe("what an evaluator returns", () => {
  const facts = { iterations: 1, toolCalls: 1, results: [], allResults: [] };
  const text = 'export default ({ question }) => eval("(" + question + ")");';
  const allowed = '(allowed: { verdict: "continue" | "answer", reason?: string })';

  async function evaluate(returned: string): Promise<unknown> {
    const path = join(workplace({ "evaluate.mjs": text }), "evaluate.mjs");
    const opened = await openEvaluator(path, () => {}, { loadMs: 20_000, callMs: 20_000 });
    onTestFinished(opened.close);
    const { signal } = new AbortController();
    try {
      return await opened.evaluate({ ...facts, question: returned, signal });
    } catch (thrown) {
      if (!(thrown instanceof Error)) throw thrown;
      const words = thrown instanceof DuetError ? [thrown.text.en, thrown.text.zh] : [thrown.message];
      return words.map((each) => each.replace(path, "PATH"));
    }
  }

  test.each([
    ['{ verdict: "continue" }', { verdict: "continue" }],
    ['{ verdict: "answer", reason: "enough", more: 1 }', { verdict: "answer", reason: "enough" }],
    ["undefined", undefined],
    ["null", undefined],
    ["false", undefined],
  ])("is an evaluation, or nothing: %s", async (returned, expected) => {
    expect(await evaluate(returned)).toEqual(expected);
  });

  test.each([
    ['{ verdict: "maybe" }', 'verdict is "maybe"', 'verdict 不能是 "maybe"'],
    ["{ reason: 'x' }", "verdict is undefined", "verdict 不能是 undefined"],
    ['{ verdict: "answer", reason: 3 }', "reason is 3", "reason 不能是 3"],
    ['"answer"', 'the returned value is "answer"', '返回值不能是 "answer"'],
  ])("is refused with the value and what is allowed: %s", async (returned, en, zh) => {
    const inChinese = allowed.replace("(allowed: ", "（允许：").replace(/\)$/, "）");
    expect(await evaluate(returned)).toEqual([`PATH: ${en} ${allowed}`, `PATH：${zh}${inChinese}`]);
  });

  test("is refused with its place where JSON would lose it", async () => {
    expect(await evaluate('{ verdict: "answer", reason: 10n }')).toEqual([
      "PATH returned a BigInt at reason (allowed: JSON)",
    ]);
  });
});

describe("an evaluator that cannot be used", () => {
  const function_ = "export default (facts) => … is needed";
  test.each([
    ["there is no file", "none.mjs", "", "there is no such file"],
    ["it is a folder", "folder.mjs/x", "", "there is no such file"],
    [
      "its syntax is wrong",
      "a.mjs",
      "export default () => {;",
      /^does not load: SyntaxError: Unexpected end of input$/,
    ],
    ["its TypeScript is wrong", "a.ts", "export default (a: ) => 1;", /^does not load: SyntaxError/],
    ["it throws", "a.mjs", 'throw new Error("one\\ntwo");', "does not load: Error: one two"],
    ["it throws no error", "a.mjs", "throw Object.create(null);", "does not load: [Object: null prototype] {}"],
    ["it lacks a package", "a.mjs", 'import "no-such-package-1";', /^does not load: Error.*'no-such-package-1'/],
    [
      "it exports no default",
      "a.mjs",
      "export const evaluate = 1;",
      `its default export is not a function (missing; ${function_})`,
    ],
    [
      "it exports an object",
      "a.cjs",
      "exports.default = () => 1;",
      `its default export is not a function (object; ${function_})`,
    ],
    ["it is JSON", "a.json", "{}", /^does not load: TypeError/],
  ])("ends duet ask with 2 and one line when %s", async (_, file, text, expected) => {
    const name = file.replace("/x", "");
    const cwd = setUp(name, file === "none.mjs" ? {} : { [file]: text });
    const { code, stdout, stderr } = await run(cwd, "ask", "1+1");
    const prefix = `duet: agent.evaluation.module: ${join(cwd, name)}: `;
    expect(stderr.slice(0, prefix.length)).toBe(prefix);
    expect(stderr).toMatch(/^.*\n$/);
    const line = stderr.slice(prefix.length).trimEnd();
    if (typeof expected === "string") expect(line).toBe(expected);
    else expect(line).toMatch(expected);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  });

  test.each([["chat"], ["serve"], ["tools"]])("ends duet %s too, before a server starts", async (command) => {
    const mcpServers = { one: { command: "/bin/sh", args: ["-c", "touch started"] } };
    const cwd = setUp("./none.mjs", {}, { mcpServers });
    const { code, stdout, stderr } = await run(cwd, command, "--locale", "zh");
    expect(stderr).toBe(`duet: agent.evaluation.module: ${join(cwd, "none.mjs")}: 没有这个文件\n`);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(existsSync(join(cwd, "started"))).toBe(false);
  });

  test("is a finding of duet doctor, which checks the rest and exits with 1", async () => {
    const { code, stdout, stderr } = await run(setUp("./none.mjs", {}), "doctor", "--locale", "zh");
    expect(stdout).toMatch(/^✗ 配置错误：agent\.evaluation\.module: .*none\.mjs: 没有这个文件。$/m);
    expect(stdout).toMatch(/^. 模型 offline/m);
    expect({ code, stderr }).toEqual({ code: 1, stderr: "" });
  });

  test("because it never finishes loading is left alone when the user interrupts", async () => {
    const text = 'process.stderr.write("loading");\nawait new Promise(() => {});\nexport default () => undefined;';
    const child = await startProgram(["ask", "1+1"], { cwd: setUp("./a.mjs", { "a.mjs": text }) });
    const finished = collect(child);
    child.stderr.once("data", () => child.kill("SIGINT"));
    expect(await finished).toEqual({ code: 130, stdout: "", stderr: "loading" });
  });
});
