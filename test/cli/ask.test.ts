import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { AgentEvent } from "../../src/core/run/events.ts";
import type { Outcome } from "../../src/core/run/outcome.ts";
import { withoutDay } from "../fakes/model.ts";
import {
  collect,
  configFile,
  npmServer,
  program,
  programEnvironment,
  startProgram,
  temporaryFolder,
} from "../fakes/program.ts";
import { type FakeProvider, startFakeProvider } from "../fakes/provider.ts";
import { runWarmProgram as runProgram } from "../fakes/warm-program.ts";
import { linux, requires } from "../runner/requirements.ts";

/** Two models on two wires: the cheap one speaks OpenAI's, the strong one Anthropic's. */
async function twoModels(): Promise<{ provider: FakeProvider; env: Record<string, string> }> {
  const provider = await startFakeProvider();
  onTestFinished(() => provider.close());
  return {
    provider,
    env: {
      AGENT_FUNCTION_CALL_MODEL: JSON.stringify({ provider: "openai", model: "cheap", base_url: provider.openaiUrl }),
      AGENT_ANSWER_MODEL: JSON.stringify({ provider: "anthropic", model: "strong", base_url: provider.anthropicUrl }),
      OPENAI_API_KEY: "sk-test-openai-0001",
      ANTHROPIC_API_KEY: "sk-test-anthropic-0002",
    },
  };
}

describe("duet ask with two models on two wires and real MCP servers", () => {
  test("jsonl: the decide calls reach the one model with the tools, the answer call the other without, in order", async () => {
    const folder = await temporaryFolder();
    await writeFile(join(folder, "note.txt"), "Duet plays in two voices.");
    const config = await configFile({
      mcpServers: {
        everything: npmServer("mcp-server-everything"),
        files: npmServer("mcp-server-filesystem", [folder]),
      },
    });
    const { provider, env } = await twoModels();
    provider.script(
      "cheap",
      {
        text: "I will add the numbers and read the note.",
        toolCalls: [
          { name: "everything__get-sum", arguments: { a: 17, b: 25 } },
          { name: "files__read_text_file", arguments: { path: join(folder, "note.txt") } },
        ],
      },
      { text: "That is enough." },
    );
    provider.script("strong", { text: "The sum is 42, and the note speaks of two voices." });

    const { code, stdout, stderr } = await runProgram(
      ["ask", "Add 17 and 25 and read the note", "--output", "jsonl", "--config", config],
      { env },
    );
    const events = stdout
      .trim()
      .split("\n")
      .map((line): AgentEvent => JSON.parse(line));

    expect(stderr).toBe("");
    expect(code).toBe(0);
    expect(
      events.map(({ type }) => type).filter((type, index, all) => !type.endsWith("-delta") || type !== all[index - 1]),
    ).toEqual([
      "run-start",
      "phase-start",
      "thought-delta",
      "phase-end",
      "tool-start",
      "tool-start",
      "tool-end",
      "tool-end",
      "evaluation",
      "phase-start",
      "thought-delta",
      "phase-end",
      "evaluation",
      "phase-start",
      "answer-delta",
      "phase-end",
      "run-end",
    ]);
    const decide = provider.requests("cheap");
    const answer = provider.requests("strong");
    expect(decide).toHaveLength(2);
    expect(answer).toHaveLength(1);
    for (const { wire, body } of decide) {
      expect(wire).toBe("openai-chat");
      expect(JSON.stringify(body.tools)).toContain("everything__get-sum");
    }
    expect(answer[0]?.wire).toBe("anthropic-messages");
    expect(answer[0]?.body.tools).toBeUndefined();
    expect(JSON.stringify(answer[0]?.body.messages)).toContain("Duet plays in two voices.");
    expect(provider.unused()).toEqual([]);

    const outcome = outcomeOf(events);
    expect(outcome).toMatchObject({ success: true, status: "complete", stop_reason: "answered", error: null });
    expect(outcome.response).toBe("The sum is 42, and the note speaks of two voices.");
    expect(outcome.tool_calls.map(({ tool, ok }) => [tool, ok])).toEqual([
      ["everything__get-sum", true],
      ["files__read_text_file", true],
    ]);
    expect(outcome.tool_calls[0]?.result).toContain("42");
    expect(outcome.meta.models).toMatchObject({
      function_call: { provider: "openai", model: "cheap", calls: 2 },
      answer: { provider: "anthropic", model: "strong", calls: 1 },
    });
    expect(outcome.meta.cost_usd).toBeNull();
  });

  test("text: the answer alone is on stdout, the steps with their models are on stderr", async () => {
    const { provider, env } = await twoModels();
    provider.script(
      "cheap",
      { text: "I will calculate.", toolCalls: [{ name: "calculator", arguments: { expression: "6*7" } }] },
      { text: "Enough." },
    );
    provider.script("strong", { text: "It is 42." });
    const { code, stdout, stderr } = await runProgram(["ask", "What is six times seven?"], { env });
    expect(stdout).toBe("It is 42.\n");
    expect(code).toBe(0);
    expect(stderr).toContain("openai/cheap");
    expect(stderr).toContain('🔧 calculator {"expression":"6*7"}');
    expect(stderr).toContain("anthropic/strong");
  });

  test("json: one object, the result of docs/development/contract.md#result", async () => {
    const { provider, env } = await twoModels();
    provider.script("cheap", { text: "Nothing to look up." });
    provider.script("strong", { text: "Hello." });
    const { stdout } = await runProgram(["ask", "Say hello", "--output", "json"], { env });
    expect(Object.keys(JSON.parse(stdout))).toEqual([
      "success",
      "status",
      "stop_reason",
      "response",
      "conversation_id",
      "run_id",
      "trace_id",
      "tool_calls",
      "citations",
      "meta",
      "error",
    ]);
  });

  test("a server that cannot start never stops the rest and is reported", async () => {
    const config = await configFile({
      mcpServers: {
        broken: { command: "duet-test-no-such-command" },
        everything: npmServer("mcp-server-everything"),
      },
    });
    const { provider, env } = await twoModels();
    provider.script(
      "cheap",
      { toolCalls: [{ name: "everything__echo", arguments: { message: "hi" } }] },
      { text: "ok" },
    );
    provider.script("strong", { text: "It said hi." });
    const { code, stdout, stderr } = await runProgram(["ask", "echo hi", "--config", config], { env });
    expect(code).toBe(0);
    expect(stdout).toBe("It said hi.\n");
    expect(stderr).toMatch(/⚠ MCP server broken is unavailable.*duet-test-no-such-command/);
  });
});

describe("exit codes", () => {
  test("3: a limit makes the answer partial, and stderr says which", async () => {
    const { provider, env } = await twoModels();
    provider.script("cheap", { toolCalls: [{ name: "echo", arguments: { text: "one" } }] });
    provider.script("strong", { text: "What I have." });
    const { code, stdout, stderr } = await runProgram(["ask", "go on", "--max-iterations", "1"], { env });
    expect(code).toBe(3);
    expect(stdout).toBe("What I have.\n");
    expect(stderr).toContain("This answer is partial: the limit of iterations was reached.");
  });

  test("3: an answer that its model cuts off by length", async () => {
    const { provider, env } = await twoModels();
    provider.script("cheap", { text: "enough" });
    provider.script("strong", { text: "It goes on and", finish: "max_tokens" });
    const { code, stderr } = await runProgram(["ask", "tell me"], { env });
    expect(code).toBe(3);
    expect(stderr).toContain("cut off");
  });

  test("1: a refused key is one line with the variable to set, on stderr, and nothing on stdout", async () => {
    const { provider, env } = await twoModels();
    provider.script("cheap", {
      status: 401,
      body: '{"error":{"message":"Incorrect API key provided","code":"invalid_api_key"}}',
    });
    const { code, stdout, stderr } = await runProgram(["ask", "hello there"], { env });
    expect(code).toBe(1);
    expect(stdout).toBe("");
    expect(stderr).toContain("OPENAI_API_KEY");
    expect(stderr).not.toContain("sk-test-openai-0001");
    expect(stderr).not.toMatch(/^\s+at /m);
  });

  test("130: SIGINT stops the model's request at once", async () => {
    const { provider, env } = await twoModels();
    provider.script("cheap", { text: "thinking about it", hang: "after-text" });
    const child = await startProgram(["ask", "wait for me"], { env });
    const finished = collect(child);
    child.stdin.end();
    await expect.poll(() => provider.requests("cheap").length).toBe(1);
    child.kill("SIGINT");
    const { code, stderr } = await finished;
    expect(code).toBe(130);
    expect(stderr).not.toMatch(/^\s+at /m);
    await expect.poll(() => provider.requests("cheap")[0]?.aborted).toBe(true);
  });
});

test("an answer that cannot be written is said and ends with 1", requires(linux), async () => {
  const full = openSync("/dev/full", "w");
  const child = spawn(process.execPath, [program, "ask", "echo hello"], {
    env: await programEnvironment(),
    stdio: ["ignore", full, "pipe"],
  });
  closeSync(full);
  let stderr = "";
  child.stderr?.on("data", (text) => {
    stderr += text;
  });
  const code = await new Promise((resolve) => child.once("close", resolve));
  expect(stderr).toContain("ENOSPC");
  expect(code).toBe(1);
});

test("an answer that cannot be written ends with 1 also where nobody reads why", requires(linux), async () => {
  const { provider, env } = await twoModels();
  provider.script("cheap", { reasoning: "hmm ".repeat(200_000), text: "enough" });
  provider.script("strong", { text: "the whole answer" });
  const full = openSync("/dev/full", "w");
  const args = [program, "ask", "hello", "--verbose"];
  const child = spawn(process.execPath, args, { env: await programEnvironment(env), stdio: ["ignore", full, "pipe"] });
  closeSync(full);
  child.stderr?.pause();
  expect(await once(child, "exit")).toEqual([1, null]);
});

test("steps that cannot be written do not cost the answer", requires(linux), async () => {
  for (const args of [["ask", "hello"], ["chat"]]) {
    const { provider, env } = await twoModels();
    provider.script("cheap", { text: "enough" });
    provider.script("strong", { text: "the whole answer" });
    const full = openSync("/dev/full", "w");
    const child = spawn(process.execPath, [program, ...args], {
      env: await programEnvironment(env),
      stdio: ["pipe", "pipe", full],
    });
    closeSync(full);
    let stdout = "";
    child.stdout?.on("data", (text) => {
      stdout += text;
    });
    child.stdin?.end("hello\n");
    expect(await new Promise((resolve) => child.once("close", resolve))).toBe(1);
    expect(stdout).toContain("the whole answer");
  }
});

describe("where the question comes from", () => {
  async function questionFor(args: string[], stdin: string): Promise<string> {
    const { provider, env } = await twoModels();
    provider.script("cheap", { text: "enough" });
    provider.script("strong", { text: "ok" });
    await runProgram(["ask", ...args], { env, stdin });
    const messages = provider.requests("cheap")[0]?.body.messages as { role: string; content: string }[];
    return withoutDay(messages.findLast(({ role }) => role === "user")?.content ?? "");
  }

  test.each([
    ["the argument", ["from the argument"], "", "from the argument"],
    ["stdin with -", ["-"], "from stdin\n", "from stdin"],
    ["stdin without an argument", [], "from stdin\n", "from stdin"],
    ["both, stdin last", ["explain this"], "line one\nline two\n", "explain this\n\nline one\nline two"],
  ])("%s", async (_, args, stdin, question) => {
    expect(await questionFor(args, stdin)).toBe(question);
  });

  test("help is none, and neither is the value of a switch", async () => {
    const { provider, env } = await twoModels();
    const help = await runProgram(["ask", "help"], { env });
    expect(help).toMatchObject({ code: 0, stdout: expect.stringContaining("duet ask [question]") });
    const value = await runProgram(["ask", "--no-color", "false"], { env });
    expect(value).toMatchObject({ code: 2, stderr: expect.stringContaining("no question given") });
    expect([...provider.requests("cheap"), ...provider.requests("strong")]).toEqual([]);
  });

  test("no question at all is one line and exit code 2", async () => {
    const { code, stderr } = await runProgram(["ask"]);
    expect(code).toBe(2);
    expect(stderr).toBe('duet: no question given (allowed: duet ask "question", or the question on stdin)\n');
  });
});

describe("what is wrong is said in one line with exit code 2", () => {
  test.each<[string, string[], Record<string, string>, RegExp]>([
    ["an unknown flag", ["ask", "x", "--colour"], {}, /colour/],
    ["an unknown command", ["aks", "x"], {}, /aks/],
    ["a value outside the choices", ["ask", "x", "--output", "yaml"], {}, /yaml/],
    ["a flag without its value", ["ask", "x", "--config"], {}, /config/],
    ["a number that is none", ["ask", "x", "--max-iterations", "many"], {}, /--max-iterations: "many"/],
    ["a number out of range", ["ask", "x", "--max-iterations", "1001"], {}, /1001/],
    ["an unreadable file", ["ask", "x", "--config", "/nonexistent/duet.json"], {}, /nonexistent/],
    [
      "bad JSON in a variable",
      ["ask", "x"],
      { AGENT_FUNCTION_CALL_MODEL: "{provider: openai" },
      /AGENT_FUNCTION_CALL_MODEL/,
    ],
    [
      "temperature 2.0",
      ["ask", "x"],
      { AGENT_FUNCTION_CALL_MODEL: '{"provider":"openai","temperature":2.0}' },
      /temperature/,
    ],
    ["a variable out of range", ["serve"], { AGENT_MAX_ITERATIONS: "0" }, /AGENT_MAX_ITERATIONS/],
    ["an unknown flag of serve", ["serve", "--prot", "1"], {}, /prot/],
    ["a bad choice of serve", ["serve", "--mode", "both"], {}, /both/],
  ])("%s", async (_, args, env, message) => {
    const { code, stdout, stderr } = await runProgram(args, { env });
    expect(stderr).toMatch(message);
    expect(stderr.trimEnd().split("\n")).toHaveLength(1);
    expect(stdout).toBe("");
    expect(code).toBe(2);
  });

  test("a configuration with an unknown key names the file and the key", async () => {
    const folder = await temporaryFolder();
    await mkdir(join(folder, "sub"));
    await writeFile(join(folder, "duet.config.json"), '{ "agent": { "maxIteration": 3 } }');
    const { code, stderr } = await runProgram(["ask", "x"], { cwd: folder });
    expect(code).toBe(2);
    expect(stderr).toMatch(/duet\.config\.json.*maxIteration/);
  });
});

function outcomeOf(events: AgentEvent[]): Outcome {
  expect(events.filter(({ type }) => type === "run-end")).toHaveLength(1);
  const last = events.at(-1);
  if (last?.type !== "run-end") throw new Error("the last event is not run-end");
  return last.outcome;
}

test("a flag of the question counts above the limits of the agent that answers, as the advice below a partial answer says", async () => {
  const { provider, env } = await twoModels();
  const limits = { maxToolCalls: 1 };
  const config = await configFile({ agents: { adder: { description: "Adds.", tools: ["calculator"], limits } } });
  const toolCalls = ["1+1", "2+2"].map((expression) => ({ name: "calculator", arguments: { expression } }));
  const ask = (...flags: string[]) => {
    provider.script("cheap", { toolCalls }, { text: "Enough." });
    provider.script("strong", { text: "Added." });
    return runProgram(["ask", "Add them", "--agent", "adder", "--config", config, ...flags], { env });
  };
  const partial = await ask();
  expect(partial.stderr).toContain("The limit is 1; --max-tool-calls 4 raises it.");
  expect(partial.code).toBe(3);
  const complete = await ask("--max-tool-calls", "4");
  expect(complete.stderr).not.toContain("partial");
  expect(complete.code).toBe(0);
});
