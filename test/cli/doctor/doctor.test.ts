import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import {
  collect,
  compileCache,
  configFile,
  type Finished,
  startProgram,
  temporaryFolder,
} from "../../fakes/program.ts";
import { type FakeProvider, startFakeProvider } from "../../fakes/provider.ts";
import { runWarmProgram as runProgram } from "../../fakes/warm-program.ts";

const key = "sk-test-openai-000123456789";
const fakeServer = join(import.meta.dirname, "../../fakes/mcp.ts");

let fake: FakeProvider;
beforeEach(async () => {
  fake = await startFakeProvider();
  onTestFinished(() => fake.close());
});

/** One model for both parts, and what else the test configures. */
function configuration(more: Record<string, unknown> = {}, model: Record<string, unknown> = {}): Promise<string> {
  const functionCall = { provider: "openai", model: "gpt-4o-cheap", baseUrl: fake.openaiUrl, ...model };
  return configFile({ models: { functionCall }, ...more });
}

async function doctor(config: string, ...args: string[]): Promise<Finished> {
  const finished = await runProgram(["doctor", "--config", config, ...args], { env: { OPENAI_API_KEY: key } });
  expect(finished.stdout + finished.stderr).not.toContain(key);
  return finished;
}

function lineWith(stdout: string, word: string): string {
  return stdout.split("\n").find((line) => line.includes(word)) ?? "";
}

describe("duet doctor, when all is well", () => {
  test("says so, a line each, and ends with 0", async () => {
    fake.script("gpt-4o-cheap", { text: "ready" });
    fake.script("claude-strong", { text: "ready" });
    const server = { command: process.execPath, args: [fakeServer], env: compileCache() };
    const config = await configFile({
      models: {
        functionCall: { provider: "openai", model: "gpt-4o-cheap", baseUrl: fake.openaiUrl },
        answer: {
          provider: "anthropic",
          model: "claude-strong",
          baseUrl: fake.anthropicUrl,
          apiKeyEnv: "OPENAI_API_KEY",
        },
      },
      mcpServers: { good: server },
    });
    const { code, stdout, stderr } = await doctor(config, "--locale", "en");
    expect(stdout).toMatch(/^✓ Node\.js \d+\.\d+\.\d+: needs/);
    expect(lineWith(stdout, "configuration file")).toBe(`✓ configuration file ${config}: valid`);
    expect(lineWith(stdout, "key OPENAI")).toBe("✓ key OPENAI_API_KEY: set");
    expect(lineWith(stdout, "openai/gpt-4o-cheap")).toMatch(/^✓ model .*: function calls · openai-chat · \d+ ms$/);
    expect(lineWith(stdout, "anthropic/claude-strong")).toMatch(/^✓ model .*: answers · anthropic-messages · \d+ ms$/);
    expect(lineWith(stdout, "MCP server good")).toMatch(/^✓ MCP server good: stdio · 1 tools? · \d+ ms$/);
    expect(lineWith(stdout, "search")).toMatch(/^✓ search Tavily/);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(fake.journal.map(({ model }) => model).sort()).toEqual(["claude-strong", "gpt-4o-cheap"]);
  });

  test("a model that plays both parts is asked once, for few tokens", async () => {
    fake.script("gpt-4o-cheap", { text: "ready" });
    const { code, stdout } = await doctor(await configuration(), "--locale", "zh");
    expect(lineWith(stdout, "gpt-4o-cheap")).toMatch(
      /^✓ 模型 openai\/gpt-4o-cheap：工具调用 \+ 回答 · openai-chat · \d+ ms$/,
    );
    expect(code).toBe(0);
    const { body } = fake.requests("gpt-4o-cheap")[0] ?? {};
    expect(Number(body?.max_completion_tokens ?? body?.max_tokens)).toBeLessThanOrEqual(128);
    expect(JSON.stringify(body?.messages).length).toBeLessThan(200);
  });

  test("an answer that is cut at the small limit still shows that the model is there", async () => {
    fake.script("gpt-4o-cheap", { reasoning: "Hm, one word ...", finish: "length" });
    expect((await doctor(await configuration())).code).toBe(0);
  });

  test("--output json tells the same to programs", async () => {
    fake.script("gpt-4o-cheap", { text: "ready" });
    const { code, stdout } = await doctor(
      await configuration({ mcpServers: {} }),
      "--output",
      "json",
      "--locale",
      "en",
    );
    expect(code).toBe(0);
    const report = JSON.parse(stdout);
    expect(report.ok).toBe(true);
    expect(report.checks.find(({ topic }: { topic: string }) => topic === "model")).toEqual({
      topic: "model",
      name: "openai/gpt-4o-cheap",
      state: "ok",
      message: expect.stringMatching(/ ms$/),
      hint: null,
      roles: ["function_call", "answer"],
      provider: "openai",
      model: "gpt-4o-cheap",
      served_as: null,
      wire: "openai-chat",
      latency_ms: expect.any(Number),
      code: null,
      notices: [],
    });
  });
});

describe("duet doctor, when something is wrong, ends with 1 and says what to do", () => {
  test("a wrong key: the variable is named, the key itself nowhere, though the provider repeats it", async () => {
    const message = `Incorrect API key provided: ${key}. You can find your API key at https://platform.openai.com.`;
    fake.script("gpt-4o-cheap", { status: 401, body: JSON.stringify({ error: { message, code: "invalid_api_key" } }) });
    const { code, stdout } = await doctor(await configuration(), "--locale", "zh");
    expect(code).toBe(1);
    const line = lineWith(stdout, "gpt-4o-cheap");
    expect(line).toMatch(/^✗ 模型 .*认证失败（HTTP 401）.*请检查环境变量 OPENAI_API_KEY 中的密钥。/);
    expect(lineWith(stdout, "密钥 OPENAI")).toBe("✓ 密钥 OPENAI_API_KEY：已设置");
  });

  test("a missing key: no request is made", async () => {
    const config = await configuration({}, { apiKeyEnv: "NOBODY_SET_THIS" });
    const { code, stdout } = await doctor(config, "--locale", "en");
    expect(code).toBe(1);
    expect(lineWith(stdout, "key NOBODY")).toMatch(
      /^✗ key NOBODY_SET_THIS: not set\. Set it in the environment or in .*\.env\.$/,
    );
    expect(lineWith(stdout, "gpt-4o-cheap")).toMatch(
      /^✗ model .*NOBODY_SET_THIS is not set\. Set NOBODY_SET_THIS to a key\.$/,
    );
    expect(fake.journal).toEqual([]);
  });

  test("a file of certificates that is not there: Node itself only warns of it", async () => {
    const config = await configuration();
    const env = { OPENAI_API_KEY: key, NODE_EXTRA_CA_CERTS: "/no/company.pem" };
    const { code, stdout } = await runProgram(["doctor", "--config", config], { env });
    expect(code).toBe(1);
    expect(lineWith(stdout, "further certificates")).toBe(
      "✗ further certificates /no/company.pem: the file does not exist, so only the usual ones are trusted. Correct the file or the variable NODE_EXTRA_CA_CERTS, or unset the variable.",
    );
  });

  test("nobody listens at the address: told at once, without retries", async () => {
    const config = await configuration({}, { baseUrl: "http://127.0.0.1:9/v1" });
    const { code, stdout } = await doctor(config, "--locale", "en");
    expect(code).toBe(1);
    expect(lineWith(stdout, "gpt-4o-cheap")).toMatch(/^✗ model .*ECONNREFUSED.*Start the server at 127\.0\.0\.1:9/);
  });

  test("an overloaded service is asked once", async () => {
    fake.script("gpt-4o-cheap", { status: 503, body: "" }, { text: "never" });
    const { code, stdout } = await doctor(await configuration(), "--locale", "en");
    expect(code).toBe(1);
    expect(lineWith(stdout, "gpt-4o-cheap")).toMatch(/^✗ model .*overloaded \(HTTP 503\)\. Try again later/);
    expect(fake.unused()).toEqual(["gpt-4o-cheap (1)"]);
  });

  test("a model that does not answer is left at its limit, and the other is told all the same", async () => {
    fake.script("gpt-4o-cheap", { hang: "before-headers" });
    fake.script("gpt-4o-strong", { text: "ready" });
    const model = { provider: "openai", baseUrl: fake.openaiUrl };
    const config = await configFile({
      models: {
        functionCall: { ...model, model: "gpt-4o-cheap", timeout: 1 },
        answer: { ...model, model: "gpt-4o-strong" },
      },
    });
    const { code, stdout } = await doctor(config, "--locale", "en");
    expect(code).toBe(1);
    expect(lineWith(stdout, "gpt-4o-cheap")).toMatch(/^✗ model .* timed out after 1 s\. .*[Rr]aise|raise/);
    expect(lineWith(stdout, "gpt-4o-strong")).toMatch(/^✓ model/);
  });

  test("one server broken: its own words are told, and the others are fine", async () => {
    fake.script("gpt-4o-cheap", { text: "ready" });
    const server = { command: process.execPath, args: [fakeServer], env: compileCache() };
    const config = await configuration({
      mcpServers: {
        good: server,
        broken: { command: process.execPath, args: [fakeServer, "--mode", "leak-and-exit"], env: { FAKE_KEY: key } },
        absent: { command: "no-such-command-anywhere" },
      },
    });
    const { code, stdout } = await doctor(config, "--locale", "en");
    expect(code).toBe(1);
    expect(lineWith(stdout, "MCP server good")).toMatch(/^✓/);
    expect(lineWith(stdout, "MCP server broken")).toMatch(
      /^✗ .*exit code 1.*bad key.*Check command, args, env of mcpServers\.broken\.$/,
    );
    expect(lineWith(stdout, "MCP server absent")).toMatch(/^✗ .*no-such-command-anywhere.*on the PATH\.$/);
    expect(lineWith(stdout, "gpt-4o-cheap")).toMatch(/^✓/);
  });
});

test("a tool that hosts get without its output schema is named with the reason, and nothing is wrong", async () => {
  fake.script("gpt-4o-cheap", { text: "ready" });
  const tools = join(await temporaryFolder(), "tools.json");
  const outputSchema = { type: "object", properties: { city: { $ref: "#/$defs/city" } } };
  await writeFile(tools, JSON.stringify([{ name: "find", inputSchema: { type: "object" }, outputSchema }]));
  const args = [fakeServer, "--mode", "tools-from-file", "--tools", tools];
  const below = { command: process.execPath, args, env: compileCache() };
  const { code, stdout } = await doctor(await configuration({ mcpServers: { below } }), "--locale", "en");
  const told =
    "– tool below__find: its output schema cannot be compiled (can't resolve reference #/$defs/city from id #);";
  expect(lineWith(stdout, "below__find")).toContain(told);
  expect(code).toBe(0);
});

test("Ctrl-C ends it at once, whatever it waits for", async () => {
  fake.script("gpt-4o-cheap", { hang: "before-headers" });
  const child = await startProgram(["doctor", "--config", await configuration()], { env: { OPENAI_API_KEY: key } });
  const finished = collect(child);
  await expect.poll(() => fake.journal.length).toBe(1);
  child.kill("SIGINT");
  expect((await finished).code).toBe(130);
  await expect.poll(() => fake.journal[0]?.aborted).toBe(true);
});

test("with no model at all the offline rules are named, and how to configure one; nothing is wrong", async () => {
  const { code, stdout } = await runProgram(["doctor", "--locale", "zh"]);
  expect(code).toBe(0);
  expect(lineWith(stdout, "模型 offline")).toMatch(/^– .*没有配置模型.*DEEPSEEK_API_KEY.*duet config init/);
  expect(lineWith(stdout, "配置文件")).toMatch(/^– .*duet config init$/);
});

describe("duet doctor, with a configuration that no other command runs with,", () => {
  test("names every error, and checks what they do not concern", async () => {
    fake.script("gpt-4o-cheap", { text: "ready" });
    const server = { command: process.execPath, args: [fakeServer], env: compileCache() };
    const unset = { command: "x", env: { KEY: `\${NOT_SET_ANYWHERE}` } };
    const config = await configuration({
      agent: { maxIterations: 1001, maxToolCals: 1 },
      providers: { mine: { baseUrl: fake.openaiUrl }, other: { baseUrl: `\${NOT_SET_EITHER}` } },
      mcpServers: { good: server, unset },
    });
    const { code, stdout, stderr } = await doctor(config, "--locale", "en");
    expect(lineWith(stdout, "configuration file")).toContain("the configuration has 2 errors");
    expect(lineWith(stdout, "agent.maxIterations")).toMatch(/^✗ configuration error: .*1001 is not allowed/);
    expect(lineWith(stdout, "agent.maxToolCals")).toMatch(/^✗ configuration error: .*did you mean maxToolCalls/);
    expect(lineWith(stdout, "gpt-4o-cheap")).toMatch(/^✓ model /);
    expect(lineWith(stdout, "provider mine")).toBe("– provider mine: not used: no model in use belongs to it.");
    expect(lineWith(stdout, "provider other")).toContain("not used: the variable NOT_SET_EITHER is not set");
    expect(lineWith(stdout, "server good")).toMatch(/^✓ MCP server good: /);
    expect(lineWith(stdout, "server unset")).toMatch(/^✗ MCP server unset: not used: the variable NOT_SET_ANYWHERE/);
    expect({ code, stderr }).toEqual({ code: 1, stderr: "" });
  });

  test("asks no other model where the one that is meant is wrong", async () => {
    const config = await configFile({ models: { functionCall: "opnai/gpt-4o" }, providers: {} });
    const { code, stdout } = await doctor(config, "--locale", "zh");
    expect(lineWith(stdout, "opnai")).toMatch(/^✗ 配置错误：/);
    expect(stdout).toContain("– 模型：未检查：见上面的配置错误。");
    expect(code).toBe(1);
    expect(fake.journal).toEqual([]);
  });

  test("reports prompts that cannot be used beside everything else", async () => {
    fake.script("gpt-4o-cheap", { text: "ready" });
    const { code, stdout } = await doctor(
      await configuration({ prompts: { directory: "./nowhere" } }),
      "--locale",
      "en",
    );
    expect(lineWith(stdout, "nowhere")).toMatch(/^✗ configuration error: /);
    expect(lineWith(stdout, "gpt-4o-cheap")).toMatch(/^✓ model /);
    expect(code).toBe(1);
  });

  test("says which keys of search services nothing uses", async () => {
    fake.script("gpt-4o-cheap", { text: "ready" });
    const search = { backend: "brave", brave: { apiKey: "brave-0123456789" }, tavily: { apiKey: "tvly-0123456789" } };
    const { stdout } = await doctor(await configuration({ search }), "--locale", "en");
    expect(lineWith(stdout, "search key tavily")).toBe("– search key tavily: not used: no search uses it.");
    expect(stdout).not.toContain("search key brave");
  });
});

test("a configuration that does not exist is a finding like any other", async () => {
  const { code, stdout, stderr } = await doctor("/nonexistent/duet.json", "--locale", "en");
  expect(stdout).toContain("✗ configuration error: /nonexistent/duet.json: there is no such file.");
  expect({ code, stderr }).toEqual({ code: 1, stderr: "" });
});
