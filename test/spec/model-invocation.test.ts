import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { resolveModel } from "../../src/config/models/resolve-model.ts";
import { createVendorTable } from "../../src/config/models/vendor-table.ts";
import { wires } from "../../src/core/model/model-settings.ts";
import type { AgentEvent } from "../../src/core/run/events.ts";
import type { Outcome } from "../../src/core/run/outcome.ts";
import { type ConversationStore, createDuet, type EmbeddedDuet } from "../../src/index.ts";
import { createModel } from "../../src/providers/create-model.ts";
import { withoutDay } from "../fakes/model.ts";
import { configFile, type Finished, temporaryFolder } from "../fakes/program.ts";
import { type FakeProvider, type JournalEntry, startFakeProvider } from "../fakes/provider.ts";
import { runWarmProgram as runProgram } from "../fakes/warm-program.ts";
import { hear } from "../providers/reading.ts";

const keys = {
  OPENAI_API_KEY: "sk-test-openai-0123456789",
  ANTHROPIC_API_KEY: "sk-ant-test-0123456789",
  DEEPSEEK_API_KEY: "sk-test-deepseek-0123456789",
};

let fake: FakeProvider;
beforeEach(async () => {
  fake = await startFakeProvider();
  onTestFinished(() => fake.close());
});

/** `duet ask` with every vendor's address moved to the fake provider; only the keys given are set. */
function ask(question: string, args: string[], env: Record<string, string>): Promise<Finished> {
  const addresses = {
    OPENAI_BASE_URL: fake.openaiUrl,
    ANTHROPIC_BASE_URL: fake.anthropicUrl,
    DEEPSEEK_BASE_URL: fake.openaiUrl,
  };
  return runProgram(["ask", question, "--locale", "zh", ...args], { env: { ...addresses, ...env } });
}

/** One question to one model, without tools; `spec` is what AGENT_FUNCTION_CALL_MODEL holds. */
async function chat(spec: Record<string, unknown> | undefined, env: Record<string, string> = keys, question = "你好") {
  const model: Record<string, string> = spec === undefined ? {} : { AGENT_FUNCTION_CALL_MODEL: JSON.stringify(spec) };
  const finished = await ask(question, ["--mode", "chat", "--output", "jsonl"], { ...env, ...model });
  const events: AgentEvent[] = finished.stdout
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));
  const last = events.at(-1);
  return { ...finished, events, outcome: last?.type === "run-end" ? last.outcome : undefined };
}

function request(model: string, position = 0): JournalEntry {
  const entry = fake.requests(model)[position];
  if (!entry) throw new Error(`no request ${position} to ${model}`);
  return entry;
}

function messagesOf(entry: JournalEntry): Record<string, unknown>[] {
  return Array.isArray(entry.body.messages) ? entry.body.messages : [];
}

function noticesOf(events: AgentEvent[], code: string): string[] {
  return events.flatMap((event) => (event.type === "notice" && event.code === code ? [event.message] : []));
}

function textOf(events: AgentEvent[], type: "answer-delta" | "reasoning-delta"): string {
  return events.map((event) => (event.type === type ? event.text : "")).join("");
}

describe("模型提供商支持", () => {
  test("OpenAI模型调用: the configured model and parameters go to OpenAI's wire, and its answer comes back", async () => {
    fake.script("gpt-4", { text: "我是 GPT-4。" });
    const { outcome, code } = await chat({
      provider: "openai",
      model: "gpt-4",
      temperature: 0.2,
      max_tokens: 300,
      top_p: 0.9,
    });
    expect(request("gpt-4")).toMatchObject({
      wire: "openai-chat",
      headers: { authorization: `Bearer ${keys.OPENAI_API_KEY}` },
      body: { temperature: 0.2, max_completion_tokens: 300, top_p: 0.9, stream: true },
    });
    expect(outcome).toMatchObject({ success: true, response: "我是 GPT-4。" });
    expect(code).toBe(0);
  });

  test("Anthropic模型调用: the configured model and parameters go to Anthropic's wire, and its answer comes back", async () => {
    fake.script("claude-sonnet-4-5", { text: "我是 Claude。" });
    const { outcome } = await chat({
      provider: "anthropic",
      model: "claude-sonnet-4-5",
      temperature: 0.2,
      max_tokens: 300,
    });
    expect(request("claude-sonnet-4-5")).toMatchObject({
      wire: "anthropic-messages",
      body: { temperature: 0.2, max_tokens: 300, stream: true },
    });
    expect(outcome).toMatchObject({ success: true, response: "我是 Claude。" });
  });

  test("DeepSeek模型调用: the configured model and parameters go to DeepSeek, and its answer comes back", async () => {
    fake.script("deepseek-flash", { text: "我是 DeepSeek。" });
    const { outcome } = await chat({ provider: "deepseek", temperature: 0.2, max_tokens: 300 });
    expect(request("deepseek-flash")).toMatchObject({
      wire: "openai-chat",
      headers: { authorization: `Bearer ${keys.DEEPSEEK_API_KEY}` },
      body: { temperature: 0.2, max_tokens: 300, stream: true },
    });
    expect(outcome).toMatchObject({ success: true, response: "我是 DeepSeek。" });
  });

  test("模型切换: one word of the configuration changes the provider, and the result keeps its shape", async () => {
    fake.script("gpt-4", { text: "你好。" });
    fake.script("claude-sonnet-4-5", { text: "你好。" });
    fake.script("deepseek-flash", { text: "你好。" });
    const shapes = new Set<string>();
    for (const [provider, model] of [
      ["openai", "gpt-4"],
      ["anthropic", "claude-sonnet-4-5"],
      ["deepseek", undefined],
    ]) {
      const { events, outcome } = await chat({ provider, model });
      expect(outcome?.response).toBe("你好。");
      expect(outcome?.meta.models.answer.provider).toBe(provider);
      shapes.add(JSON.stringify([events.map(({ type }) => type), Object.keys(outcome ?? {})]));
    }
    expect(shapes.size).toBe(1);
  });
});

describe("模型配置", () => {
  test("默认配置: temperature 0.7, max_tokens 2000 and deepseek-chat, which is today's model without thinking", async () => {
    fake.script("deepseek-flash", { text: "你好。" });
    const { outcome } = await chat(undefined, { DEEPSEEK_API_KEY: keys.DEEPSEEK_API_KEY });
    expect(request("deepseek-flash").body).toMatchObject({
      temperature: 0.7,
      max_tokens: 2000,
      thinking: { type: "disabled" },
    });
    expect(outcome).toMatchObject({ success: true, meta: { models: { answer: { model: "deepseek-chat" } } } });
  });

  test("自定义参数: temperature 0.3, max_tokens 500 and deepseek-reasoner reach the call", async () => {
    fake.script("deepseek-flash", { reasoning: "想一想。", text: "你好。" });
    const { outcome } = await chat(
      { provider: "deepseek", temperature: 0.3, max_tokens: 500 },
      { ...keys, DEEPSEEK_MODEL_VARIANT: "deepseek-reasoner" },
    );
    expect(request("deepseek-flash").body).toMatchObject({
      temperature: 0.3,
      // They are what can be read; the vendor counts thinking into its limit, so that more is allowed for it.
      max_tokens: 500 + 32_000,
      thinking: { type: "enabled" },
    });
    expect(outcome).toMatchObject({ success: true, meta: { models: { answer: { model: "deepseek-reasoner" } } } });
  });

  test.each([
    [{ provider: "deepseek", temperature: 2.0 }, {}, /temperature.*2.*\b2\b/],
    [{ provider: "deepseek", temperature: -0.1 }, {}, /temperature.*-0\.1/],
    [{ provider: "anthropic", temperature: 1.5 }, {}, /temperature.*1\.5.*1/],
    [{ provider: "deepseek", max_tokens: -5 }, {}, /max_tokens.*-5.*1/],
    [{ provider: "deepseek", max_tokens: 0 }, {}, /max_tokens.*0.*1/],
    [{ provider: "deepseek", top_p: 0 }, {}, /top_p.*0/],
    [
      { provider: "deepseek" },
      { DEEPSEEK_MODEL_VARIANT: "deepseek-banana" },
      /DEEPSEEK_MODEL_VARIANT.*deepseek-banana.*deepseek-chat/,
    ],
  ])(
    "无效参数: %j %j is refused before any call, with the key, its value and what is allowed",
    async (spec, env, line) => {
      const { code, stdout, stderr } = await chat(spec, { ...keys, ...env });
      expect(code).toBe(2);
      expect(stdout).toBe("");
      expect(stderr).toMatch(/^duet: [^\n]+\n$/);
      expect(stderr).toMatch(line);
      expect(fake.journal).toEqual([]);
    },
  );
});

describe("提示词管理", () => {
  test("系统和用户消息格式化: system first, then the conversation in its order, each with its role, on each wire", async () => {
    for (const wire of wires) {
      fake.script("any-model", { text: "第三。" });
      const duet = await embedded(wire);
      const outcome = await duet.ask("three", { mode: "chat", instruction: "Be brief.", history });
      expect(outcome).toMatchObject({ success: true, response: "第三。" });
      const entry = fake.requests("any-model").at(-1);
      if (!entry) throw new Error(`no request on ${wire}`);
      expect(entry.wire).toBe(wire);
      const { system, rest } = rolesOf(entry);
      expect(system).not.toMatch(/20\d\d-\d\d-\d\d/);
      expect(rest.at(-1)?.text).toMatch(/^Today is 20\d\d-\d\d-\d\d \(/);
      expect(rest.map(({ role }) => role)).toEqual(["user", "assistant", "user", "assistant", "user"]);
      expect(rest.map(({ text }) => withoutDay(text))).toEqual([
        expect.stringContaining("Be brief."),
        expect.any(String),
        "one",
        "two",
        "three",
      ]);
    }
  });

  test("提示词模板渲染: the variables of the prompt are filled in and none is left", async () => {
    fake.script("gpt-4", { text: "好。" });
    await chat({ provider: "openai", model: "gpt-4" });
    const [system, user] = messagesOf(request("gpt-4"));
    // A place is `{word}`; other braces, as in JSON, are none.
    expect(system?.content).not.toMatch(/\{[a-z]+\}|undefined/);
    expect(user).toMatchObject({
      role: "user",
      content: expect.stringMatching(/^今天是 20\d\d-\d\d-\d\d（.+）。\n\n你好$/),
    });
  });

  test("提示词模板渲染: a template of one's own is filled in once, in one whole prompt, and what fills a place is no template", async () => {
    const folder = await temporaryFolder();
    await writeFile(join(folder, "chat.md"), 'Today is {today}. Write {{today}} as it is, and {"json": 1}.\n');
    const config = await configFile({ prompts: { directory: folder } });
    fake.script("gpt-4", { text: "好。" });
    const args = ["--mode", "chat", "--config", config, "--function-call-model", "openai/gpt-4"];
    expect(await ask("{today} 是什么？", args, keys)).toMatchObject({ code: 0 });
    const [system, user] = messagesOf(request("gpt-4"));
    expect(system?.content).toMatch(/^Today is 20\d\d-\d\d-\d\d\. Write \{today\} as it is, and \{"json": 1\}\.$/);
    expect(user).toMatchObject({ role: "user", content: expect.stringMatching(/\n\n\{today\} 是什么？$/) });
  });

  test("提示词模板渲染: a variable that there is not is refused before any call, with its name and what is allowed", async () => {
    const folder = await temporaryFolder();
    await writeFile(join(folder, "chat.md"), "You are {nobody}.\n");
    const config = await configFile({ prompts: { directory: folder } });
    const args = ["--mode", "chat", "--config", config, "--function-call-model", "openai/gpt-4"];
    const { code, stderr } = await ask("你好", args, keys);
    expect(code).toBe(2);
    expect(stderr).toMatch(/chat\.md.*nobody.*today/);
    expect(fake.journal).toEqual([]);
  });

  const small = { provider: "openai", model: "gpt-4", context_window: 4000, max_tokens: 1000 };

  test("令牌计数: the prompt's tokens are counted before the call, and near the window's end a warning is given", async () => {
    fake.script("gpt-4", { text: "好。" });
    const { events, outcome } = await chat(small, keys, `总结：${"rain falls. ".repeat(900)}`);
    expect(noticesOf(events, "context-window")).toEqual([expect.stringMatching(/openai\/gpt-4.*\d+ 个 token.*4000/)]);
    const types = events.map((event) => (event.type === "notice" ? event.code : event.type));
    expect(types.indexOf("context-window")).toBeLessThan(types.indexOf("answer-delta"));
    expect(outcome?.response).toBe("好。");
  });

  test("令牌计数: a short prompt gives no warning", async () => {
    fake.script("gpt-4", { text: "好。" });
    const { events } = await chat(small);
    expect(noticesOf(events, "context-window")).toEqual([]);
  });
});

describe("错误处理与弹性", () => {
  const openai = { provider: "openai", model: "gpt-4" };
  const limited = (headers?: Record<string, string>) => ({
    status: 429,
    body: JSON.stringify({ error: { message: "Rate limit reached for gpt-4", code: "rate_limit_exceeded" } }),
    headers,
  });

  test("限流处理: the time of retry-after is waited out before the request goes again", async () => {
    fake.script("gpt-4", limited({ "retry-after": "1" }), { text: "好。" });
    const { outcome, events } = await chat(openai);
    expect(outcome).toMatchObject({ success: true, response: "好。" });
    expect(request("gpt-4", 1).at - request("gpt-4", 0).at).toBeGreaterThanOrEqual(1000);
    expect(noticesOf(events, "retry")).toEqual([expect.stringMatching(/秒后重试.*Rate limit reached/)]);
  });

  test("限流处理: without one the waits double, and after three retries the error is told", async () => {
    fake.script("gpt-4", limited(), limited(), limited(), limited());
    const slept: number[] = [];
    const sleep = async (ms: number) => void slept.push(ms);
    const model = createModel(modelSettings("openai", "gpt-4", fake.openaiUrl), { sleep, random: () => 0.999 });
    await expect(hear(model)).rejects.toMatchObject({ code: "rate_limit" });
    expect(fake.requests("gpt-4")).toHaveLength(4);
    expect(slept.map((ms) => Math.round(ms / 100) * 100)).toEqual([500, 1000, 2000]);
  });

  test("认证错误: a wrong key is an error at once, asked once and never shown", async () => {
    const message = `Incorrect API key provided: ${keys.OPENAI_API_KEY}.`;
    fake.script("gpt-4", { status: 401, body: JSON.stringify({ error: { message, code: "invalid_api_key" } }) });
    const { code, outcome, events, stdout, stderr } = await chat(openai);
    expect(code).toBe(1);
    expect(outcome?.error).toMatchObject({ code: "auth", hint: expect.stringContaining("OPENAI_API_KEY") });
    expect(fake.requests("gpt-4")).toHaveLength(1);
    expect(noticesOf(events, "retry")).toEqual([]);
    expect(stdout + stderr).not.toContain(keys.OPENAI_API_KEY);
  });

  test("认证错误: a missing key is told before any request", async () => {
    const { code, outcome } = await chat(openai, {});
    expect(code).toBe(1);
    expect(outcome?.error).toMatchObject({ code: "auth", hint: expect.stringContaining("OPENAI_API_KEY") });
    expect(fake.journal).toEqual([]);
  });

  test("网络超时: with nothing set the threshold is 30 seconds, as duet models and duet config show", async () => {
    const env = { OPENAI_API_KEY: keys.OPENAI_API_KEY };
    const shown = JSON.parse((await runProgram(["models", "--output", "json"], { env })).stdout);
    expect(shown.models).toMatchObject([{ timeout: { value: 30 } }, { timeout: { value: 30 } }]);
    const config = JSON.parse((await runProgram(["config", "--output", "json"], { env })).stdout);
    expect(config.values.models.functionCall.timeout).toBe(30);
  });

  test("网络超时: with nothing set the request is cancelled after 30 seconds, and the caller told, not asked again", async () => {
    vi.stubEnv("OPENAI_API_KEY", keys.OPENAI_API_KEY);
    vi.stubEnv("OPENAI_BASE_URL", fake.openaiUrl);
    fake.script("gpt-4", { hang: "before-headers" }, { text: "never" });
    // The sockets are real; only the clock of the limits is the test's.
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
    const duet = await createDuet({ models: { functionCall: "openai/gpt-4" }, config: { locale: "zh" } });
    onTestFinished(async () => {
      vi.useRealTimers();
      vi.unstubAllEnvs();
      await duet.close();
    });
    let outcome: Outcome | undefined;
    const asking = duet.ask("你好", { mode: "chat" }).then((ended) => {
      outcome = ended;
    });
    await expect.poll(() => fake.requests("gpt-4").length).toBe(1);
    await vi.advanceTimersByTimeAsync(29_000);
    expect(request("gpt-4").aborted).toBe(false);
    await vi.advanceTimersByTimeAsync(1000);
    await expect.poll(() => request("gpt-4").aborted).toBe(true);
    await asking;
    expect(outcome?.error).toMatchObject({
      code: "timeout",
      message: expect.stringContaining("30 秒内没有任何内容（超时）"),
    });
    expect(fake.requests("gpt-4")).toHaveLength(1);
  });

  test("网络超时: the request is cancelled and the caller gets a timeout error", async () => {
    fake.script("gpt-4", { hang: "before-headers" });
    const { code, outcome } = await chat({ ...openai, timeout: 3 });
    expect(code).toBe(1);
    expect(outcome?.error).toMatchObject({
      code: "timeout",
      message: expect.stringContaining("3 秒内没有任何内容（超时）"),
    });
    expect(fake.requests("gpt-4")).toHaveLength(1);
    await expect.poll(() => request("gpt-4").aborted).toBe(true);
  });

  test("通用API错误: 5xx is tried again, and the details are told", async () => {
    const body = '{"error":{"message":"The engine exploded"}}';
    fake.script(
      "gpt-4",
      { status: 500, body },
      { status: 502, body: "<html><title>502 Bad Gateway</title></html>" },
      { text: "好。" },
    );
    const { outcome, events } = await chat(openai);
    expect(outcome).toMatchObject({ success: true, response: "好。" });
    expect(noticesOf(events, "retry")).toEqual([
      expect.stringContaining("HTTP 500）：The engine exploded"),
      expect.stringContaining("HTTP 502）：502 Bad Gateway"),
    ]);
  });

  test.each([400, 402, 403, 404, 422])("通用API错误: HTTP %d fails fast", async (status) => {
    fake.script("gpt-4", { status, body: '{"error":{"message":"no such thing"}}' }, { text: "never" });
    const { code, outcome } = await chat(openai);
    expect(code).toBe(1);
    expect(outcome?.error?.message).toContain(`HTTP ${status}）：no such thing`);
    expect(fake.requests("gpt-4")).toHaveLength(1);
  });
});

describe("响应处理", () => {
  test("成功响应: the text, the tokens used and the model come in one structured object", async () => {
    fake.script("gpt-4", { text: "答案。", usage: { input: 120, output: 30 } });
    const { outcome } = await chat({ provider: "openai", model: "gpt-4" });
    expect(outcome).toMatchObject({
      status: "complete",
      response: "答案。",
      meta: {
        total_tokens: 150,
        models: { answer: { provider: "openai", model: "gpt-4", calls: 1, input_tokens: 120, output_tokens: 30 } },
      },
    });
  });

  test("空响应: an empty answer is an error that says so, never an answer", async () => {
    fake.script("gpt-4", {}, {}, {}, {});
    const { code, outcome } = await chat({ provider: "openai", model: "gpt-4" });
    expect(code).toBe(1);
    expect(outcome).toMatchObject({ success: false, response: expect.not.stringContaining("undefined") });
    expect(outcome?.error).toMatchObject({ code: "bad_response", message: expect.stringContaining("空") });
  });

  test.each([[{ text: " \n" }], [{ reasoning: "想。" }]])("空响应: %j is empty too", async (empty) => {
    fake.script("gpt-4", empty, empty, empty, empty);
    const model = impatientModel();
    await expect(hear(model)).rejects.toMatchObject({
      code: "bad_response",
      message: expect.stringContaining("empty"),
    });
  });

  test.each([
    ["a page", "<html><title>Login</title></html>", "text/html"],
    ["another shape", '{"object":"list","data":[]}', "application/json"],
    ["no choices", '{"choices":[]}', "application/json"],
    ["half a chunk", 'data: {"choices":[{"del', "text/event-stream"],
    ["no JSON", "data: hello\n\n", "text/event-stream"],
  ])("响应验证: %s with status 200 is an error and not an answer", async (_, body, contentType) => {
    const reply = { status: 200, body, headers: { "content-type": contentType } };
    fake.script("gpt-4", reply, reply, reply, reply);
    await expect(hear(impatientModel())).rejects.toMatchObject({
      code: "bad_response",
      text: { zh: expect.stringContaining("openai/gpt-4") },
      hint: { zh: expect.stringMatching(/。$/) },
    });
  });

  test("响应验证: what was wrong is told in a notice when the next try goes well", async () => {
    const broken = { status: 200, body: "data: hello\n\n", headers: { "content-type": "text/event-stream" } };
    fake.script("gpt-4", broken, { text: "好。" });
    const { outcome, events } = await chat({ provider: "openai", model: "gpt-4" });
    expect(outcome?.response).toBe("好。");
    expect(noticesOf(events, "retry")).toHaveLength(1);
  });
});

describe("LangChain集成", () => {
  test("LangChain模型包装器: every wire is the same model to its caller: its answer, its callbacks and its bill", async () => {
    const heard = new Set<string>();
    for (const wire of wires) {
      fake.script("any-model", { reasoning: "想。", text: "答案。", usage: { input: 7, output: 3 } });
      const duet = await embedded(wire);
      const events = await Array.fromAsync(duet.stream("你好", { mode: "chat" }));
      const last = events.at(-1);
      if (last?.type !== "run-end") throw new Error("the run has no end");
      const { provider: _, elapsed_ms: __, ...bill } = last.outcome.meta.models.answer;
      const types = events.filter(({ type }) => type !== "notice").map(({ type }) => type);
      heard.add(JSON.stringify([types, textOf(events, "reasoning-delta"), last.outcome.response, bill]));
    }
    const types = ["run-start", "phase-start", "reasoning-delta", "answer-delta", "phase-end", "run-end"];
    const tokens = { input_tokens: 7, output_tokens: 3, reasoning_tokens: 0, cached_tokens: 0 };
    const bill = { model: "any-model", calls: 1, ...tokens, cost_usd: null };
    expect([...heard].map((one) => JSON.parse(one))).toEqual([[types, "想。", "答案。", bill]]);
  });

  test("LangChain模型包装器: the caches of vendors are used: what repeats is marked where a vendor wants marks, and what was cached is counted", async () => {
    fake.script("claude-sonnet-4-5", { text: "答案。" });
    const claude = { provider: "anthropic", model: "claude-sonnet-4-5" };
    await (await embedded("anthropic-messages", claude)).ask("你好", { mode: "chat" });
    expect(JSON.stringify(request("claude-sonnet-4-5").body.system)).toContain('"cache_control":{"type":"ephemeral"}');
    const usage = { prompt_tokens: 100, completion_tokens: 5, prompt_tokens_details: { cached_tokens: 80 } };
    const choices = [{ index: 0, delta: { content: "答案。" }, finish_reason: "stop" }];
    fake.script("any-model", { raw: [{ choices, usage }, "[DONE]"] });
    const { meta } = await (await embedded("openai-chat")).ask("你好", { mode: "chat" });
    expect(meta.models.answer).toMatchObject({ input_tokens: 100, cached_tokens: 80 });
  });

  test("LangChain回调: the events of a run tell the tokens and the time of each call", async () => {
    fake.script("gpt-4", { text: "答案。", usage: { input: 120, output: 30 } });
    const { events } = await chat({ provider: "openai", model: "gpt-4" });
    expect(events.find((event) => event.type === "phase-end")).toMatchObject({
      model: "openai/gpt-4",
      usage: { inputTokens: 120, outputTokens: 30 },
      elapsedMs: expect.any(Number),
    });
  });

  test("DeepSeek Tool Calls 消息格式处理: every assistant message with tool_calls carries reasoning_content, its own or an empty one", async () => {
    const call = (expression: string) => [{ name: "calculator", arguments: { expression } }];
    fake.script(
      "deepseek-flash",
      { reasoning: "先算乘法。", toolCalls: call("6*7") },
      { toolCalls: call("42+1") },
      { reasoning: "够了。", text: "43" },
    );
    const env = { ...keys, DEEPSEEK_MODEL_VARIANT: "deepseek-reasoner" };
    const { stdout } = await ask(
      "6*7 再加 1 等于多少？",
      ["--output", "json", "--function-call-model", "deepseek/deepseek-reasoner"],
      env,
    );
    const outcome: Outcome = JSON.parse(stdout);
    expect(outcome).toMatchObject({ success: true, response: expect.stringContaining("43") });
    const assistants = messagesOf(request("deepseek-flash", 2)).filter(({ role }) => role === "assistant");
    expect(assistants.map((message) => [Array.isArray(message.tool_calls), message.reasoning_content])).toEqual([
      [true, "先算乘法。"],
      [true, ""],
    ]);
  });

  test("LangGraph 流式调用消息处理: calls that cannot be read, that have no id, or one id twice are put right before the next call streams", async () => {
    fake.script(
      "deepseek-flash",
      {
        toolCalls: [
          { id: "same", name: "calculator", arguments: '{"expression":' },
          { id: "same", name: "calculator", arguments: { expression: "6*7" } },
          { id: "", name: "calculator", arguments: { expression: "1+1" } },
        ],
      },
      { reasoning: "够了。", text: "42" },
    );
    const duet = await embedded("openai-chat", { provider: "deepseek", model: "deepseek-reasoner" });
    const outcome = await duet.ask("6*7？", { mode: "agent", tools: ["calculator"] });
    expect(outcome).toMatchObject({ success: true, response: "42" });
    const sent = messagesOf(request("deepseek-flash", 1));
    const assistants = sent.filter(({ role }) => role === "assistant");
    expect(assistants).toEqual([expect.objectContaining({ reasoning_content: "" })]);
    const calls = assistants.flatMap(({ tool_calls }) => (Array.isArray(tool_calls) ? tool_calls : []));
    expect(new Set(calls.map(({ id }) => id)).size).toBe(3);
    for (const { id, function: called } of calls) {
      expect(id).toMatch(/./);
      expect(typeof JSON.parse(called.arguments)).toBe("object");
    }
    const answered = sent.filter(({ role }) => role === "tool").map(({ tool_call_id }) => tool_call_id);
    expect(answered).toEqual(calls.map(({ id }) => id));
    expect(request("deepseek-flash", 1).body).toMatchObject({ stream: true });
  });

  test("LangGraph 流式调用消息处理: a conversation that another program kept, or another model left, has the vendor's form, and a refusal is mended and sent again", async () => {
    fake.script("gpt-4", { text: "雨。" });
    fake.script("deepseek-flash", missingReasoning, { text: "晴。" }, { text: "好。" });
    const duet = await embedded("openai-chat", { provider: "openai", model: "gpt-4" });
    const store = await duet.store();
    const { conversation_id: conversationId } = await duet.ask("今天呢？", { mode: "chat" });
    const other = await embedded("openai-chat", { provider: "deepseek", model: "deepseek-reasoner" }, store);
    const events = await Array.fromAsync(other.stream("明天呢？", { mode: "chat", conversationId }));
    expect(events.at(-1)).toMatchObject({ outcome: { success: true, response: "晴。" } });
    expect(noticesOf(events, "history-repaired")).toHaveLength(1);
    const [refused, mended] = [0, 1].map((position) => messagesOf(request("deepseek-flash", position)));
    for (const sent of [refused, mended])
      expect(sent?.map(({ role }) => role)).toEqual(["system", "user", "assistant", "user"]);
    const said = mended?.map(({ content }) => withoutDay(String(content))).slice(1);
    expect(said).toEqual(["今天呢？", "雨。", "明天呢？"]);
    expect(mended?.[2]).toHaveProperty("reasoning_content");

    await other.ask("three", { mode: "chat", history });
    const given = messagesOf(request("deepseek-flash", 2));
    expect(given.map(({ role }) => role)).toEqual(["system", "user", "assistant", "user"]);
    expect(given.slice(1).map(({ content }) => withoutDay(String(content)))).toEqual(["one", "two", "three"]);
  });

  test("消息格式错误恢复: a reasoning_content error is mended, told, and the request sent again", async () => {
    fake.script("deepseek-flash", missingReasoning, { text: "好。" });
    const { outcome, events } = await chat({ provider: "deepseek", model: "deepseek-reasoner" });
    expect(outcome).toMatchObject({ success: true, response: "好。" });
    expect(fake.requests("deepseek-flash")).toHaveLength(2);
    expect(noticesOf(events, "history-repaired")).toEqual([expect.stringContaining("reasoning_content")]);
  });

  test("消息格式错误恢复: when that does not help, the error is friendly and says what to do", async () => {
    fake.script("deepseek-flash", missingReasoning, missingReasoning, { text: "never" });
    const { code, outcome } = await chat({ provider: "deepseek", model: "deepseek-reasoner" });
    expect(code).toBe(1);
    expect(outcome?.error).toMatchObject({ code: "invalid_request", hint: expect.stringContaining("新对话") });
    expect(fake.requests("deepseek-flash")).toHaveLength(2);
  });
});

describe("Chainlit界面集成", () => {
  test.each([
    ["zh", /认证失败（HTTP 401）.*请检查环境变量 OPENAI_API_KEY 中的密钥。/],
    ["en", /authentication failed \(HTTP 401\).*Check the key in the environment variable OPENAI_API_KEY\./],
  ])("错误展示: the reader gets the reason and what to do, in %s, and no stack trace", async (locale, line) => {
    fake.script("gpt-4", { status: 401, body: '{"error":{"message":"Incorrect API key provided"}}' });
    const question = locale === "zh" ? "你好" : "hello";
    const args = ["--mode", "chat", "--locale", locale, "--function-call-model", "openai/gpt-4"];
    const { code, stderr, stdout } = await ask(question, args, keys);
    expect(code).toBe(1);
    expect(stderr).toMatch(line);
    expect(stdout + stderr).not.toMatch(/\n\s+at |Error:/);
  });
});

describe("DeepSeek 模型选择", () => {
  test("选择 deepseek-chat 模型: thinking is switched off, and only an answer comes", async () => {
    fake.script("deepseek-flash", { text: "答案。" });
    const { events, outcome } = await chat({ provider: "deepseek", model: "deepseek-chat" });
    expect(request("deepseek-flash").body).toMatchObject({ thinking: { type: "disabled" } });
    expect(textOf(events, "reasoning-delta")).toBe("");
    expect(outcome?.response).toBe("答案。");
  });

  test("选择 deepseek-reasoner 模型: thinking is switched on, and both parts come", async () => {
    fake.script("deepseek-flash", { reasoning: "想一想。", text: "答案。" });
    const { events, outcome } = await chat({ provider: "deepseek", model: "deepseek-reasoner" });
    expect(request("deepseek-flash").body).toMatchObject({ thinking: { type: "enabled" } });
    expect(textOf(events, "reasoning-delta")).toBe("想一想。");
    expect(outcome?.response).toBe("答案。");
  });

  test.each([
    [{}, "deepseek-chat", "disabled"],
    [{ DEEPSEEK_MODEL_VARIANT: "deepseek-reasoner" }, "deepseek-reasoner", "enabled"],
    [{ DEEPSEEK_MODEL_VARIANT: "" }, "deepseek-chat", "disabled"],
  ])("默认模型配置: %j means %s", async (variant, name, thinking) => {
    fake.script("deepseek-flash", { text: "答案。" });
    const { outcome } = await chat({ provider: "deepseek" }, { ...keys, ...variant });
    expect(outcome?.meta.models.answer.model).toBe(name);
    expect(request("deepseek-flash").body).toMatchObject({ thinking: { type: thinking } });
  });

  test("默认模型配置: a current name of DeepSeek's is taken as it is", async () => {
    fake.script("deepseek-v4-pro", { text: "答案。" });
    const { outcome } = await chat({ provider: "deepseek" }, { ...keys, DEEPSEEK_MODEL_VARIANT: "deepseek-v4-pro" });
    expect(outcome?.response).toBe("答案。");
  });
});

describe("响应解析和处理", () => {
  test("解析包含思考内容的响应: reasoning_content and content are told apart, as they come", async () => {
    fake.script("deepseek-flash", {
      reasoning: "用户在打招呼，应当问好。",
      text: "你好，很高兴见到你。",
      chunkSize: 3,
    });
    const { events, outcome } = await chat({ provider: "deepseek", model: "deepseek-reasoner" });
    expect(textOf(events, "reasoning-delta")).toBe("用户在打招呼，应当问好。");
    expect(textOf(events, "answer-delta")).toBe("你好，很高兴见到你。");
    const order = events.map(({ type }) => type);
    expect(order.lastIndexOf("reasoning-delta")).toBeLessThan(order.indexOf("answer-delta"));
    expect(outcome?.response).toBe("你好，很高兴见到你。");
  });

  test("解析不包含思考内容的响应: all of it is the answer", async () => {
    fake.script("deepseek-flash", { text: "你好，很高兴见到你。", chunkSize: 3 });
    const { events } = await chat({ provider: "deepseek", model: "deepseek-chat" });
    expect(textOf(events, "answer-delta")).toBe("你好，很高兴见到你。");
    expect(events.some(({ type }) => type === "reasoning-delta")).toBe(false);
  });

  test.each([
    [
      "one document instead of a stream",
      "application/json",
      '{"choices":[{"index":0,"message":{"role":"assistant","content":"答案。"},"finish_reason":"stop"}]}',
      "收到的是整份文档，不是数据流",
    ],
    [
      "content in parts, unknown fields and no role",
      "text/event-stream",
      'data: {"choices":[{"delta":{"content":[{"type":"text","text":"答"}],"mood":"good"}}],"x":1}\n\ndata: {"choices":[{"delta":{"content":[{"type":"picture"},{"type":"text","text":"案。"}]},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n',
      "content 中有未知的部分",
    ],
    [
      "content in parts of an unknown kind that hold text",
      "text/event-stream",
      'data: {"choices":[{"delta":{"content":["答",{"type":"output_text","text":"案。"}]},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n',
      "content 中有未知的部分",
    ],
    [
      "no finish_reason, and a reasoning_content that is null",
      "text/event-stream",
      'data: {"choices":[{"delta":{"reasoning_content":null,"content":"答案。"}}]}\n\ndata: [DONE]\n\n',
      "没有 finish_reason",
    ],
  ])(
    "处理格式异常: %s is still read as an answer, and a warning in the log says what was odd",
    async (_, contentType, body, oddity) => {
      const reply = { status: 200, body, headers: { "content-type": contentType } };
      fake.script("deepseek-flash", reply, reply, reply);
      const { code, outcome, events } = await chat({ provider: "deepseek", model: "deepseek-reasoner" });
      expect(outcome).toMatchObject({ success: true, response: "答案。" });
      expect(code).toBe(0);
      expect(noticesOf(events, "odd-response")).toEqual([expect.stringContaining(oddity)]);
      const args = ["--mode", "chat", "--function-call-model", "deepseek/deepseek-reasoner"];
      const [logged, quiet] = [await ask("你好", [...args, "--verbose"], keys), await ask("你好", args, keys)];
      const line = `⚠ deepseek/deepseek-reasoner 的响应格式与预期不符（${oddity}），能读出的内容已作为回答\n`;
      expect(logged.stderr.split(line)).toHaveLength(2);
      expect([logged.stdout, quiet.stdout]).toEqual(["答案。\n", "答案。\n"]);
      expect(quiet.stderr).not.toContain("格式");
    },
  );

  test("处理格式异常: a response in the expected format gives no warning", async () => {
    fake.script("deepseek-flash", { reasoning: "想。", text: "答案。" });
    const { events } = await chat({ provider: "deepseek", model: "deepseek-reasoner" });
    expect(noticesOf(events, "odd-response")).toEqual([]);
  });

  test("处理格式异常: what cannot be read at all is told, and the conversation goes on", async () => {
    const broken = { status: 200, body: "data: ?\n\n", headers: { "content-type": "text/event-stream" } };
    fake.script("deepseek-flash", broken, { text: "答案。" });
    const { outcome, events } = await chat({ provider: "deepseek", model: "deepseek-reasoner" });
    expect(outcome?.response).toBe("答案。");
    expect(events.some((event) => event.type === "notice" && event.level === "warning")).toBe(true);
  });
});

const missingReasoning = {
  status: 400,
  body: JSON.stringify({
    error: {
      message: "The `reasoning_content` in the thinking mode must be passed back to the API.",
      type: "invalid_request_error",
    },
  }),
};

/** What was said before, as another program keeps it. */
const history = [{ question: "one", answer: "two" }];

/** A program that embeds Duet, with one model on that wire. */
async function embedded(
  wire: (typeof wires)[number],
  more: { provider: string; model: string } = { provider: "mine", model: "any-model" },
  store?: ConversationStore,
): Promise<EmbeddedDuet> {
  for (const [name, value] of Object.entries(keys)) vi.stubEnv(name, value);
  onTestFinished(() => void vi.unstubAllEnvs());
  const baseUrl = wire === "anthropic-messages" ? fake.anthropicUrl : fake.openaiUrl;
  const duet = await createDuet({
    models: { functionCall: { ...more, baseUrl } },
    config: {
      locale: "zh",
      search: { enabled: false },
      providers: { mine: { wire, baseUrl, apiKeyEnv: "OPENAI_API_KEY" } },
    },
    ...(store && { store }),
  });
  onTestFinished(() => duet.close());
  return duet;
}

/** The system prompt and the messages behind it, whatever the wire calls them. */
function rolesOf({ wire, body }: JournalEntry): { system: string; rest: { role: unknown; text: string }[] } {
  const list: unknown = wire === "openai-responses" ? body.input : body.messages;
  const messages = (Array.isArray(list) ? list : []).map(({ role, content }) => ({ role, text: plain(content) }));
  const own = wire === "anthropic-messages" ? body.system : body.instructions;
  const first = messages[0];
  if (own !== undefined) return { system: plain(own), rest: messages };
  return { system: String(first?.text), rest: messages.slice(1) };
}

/** A content that is a text, or a list of parts. */
function plain(content: unknown): string {
  if (!Array.isArray(content)) return String(content);
  return content.map((part) => String(part.text)).join("");
}

function modelSettings(provider: string, model: string, baseUrl: string) {
  return resolveModel({ provider, model, baseUrl }, createVendorTable({}), keys, "test");
}

/** GPT-4 without the waits between its retries. */
function impatientModel() {
  return createModel(modelSettings("openai", "gpt-4", fake.openaiUrl), { sleep: async () => {} });
}
