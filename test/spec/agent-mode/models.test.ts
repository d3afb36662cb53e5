import { describe, expect, onTestFinished, test, vi } from "vitest";
import { createDuet, DuetError } from "../../../src/index.ts";
import { textOf } from "../../fakes/events.ts";
import { configFile, temporaryFolder } from "../../fakes/program.ts";
import { startTerminal } from "../../fakes/terminal.ts";
import { runWarmProgram as runProgram } from "../../fakes/warm-program.ts";
import {
  ask,
  calculate,
  embed,
  follow,
  hear,
  modelsOf,
  once,
  question,
  request,
  type Scene,
  scriptTwoSearches,
  setScene,
} from "./two-models.ts";

function scriptProduct({ provider }: Scene): void {
  provider.script("cheap", { toolCalls: [calculate("6*7")] }, { text: "够了。" });
  provider.script("strong", { text: "42。" });
}

describe("双 LLM 模型配置", () => {
  test("环境变量配置: AGENT_FUNCTION_CALL_MODEL and AGENT_ANSWER_MODEL hold each model's provider and parameters as JSON", async () => {
    const scene = await setScene();
    scriptProduct(scene);
    const env = {
      AGENT_FUNCTION_CALL_MODEL: JSON.stringify({
        provider: "openai",
        model: "cheap",
        temperature: 0.1,
        max_tokens: 500,
        top_p: 0.8,
        base_url: scene.provider.openaiUrl,
        api_key_env: "DECIDE_KEY",
      }),
      AGENT_ANSWER_MODEL: JSON.stringify({
        provider: "anthropic",
        model: "strong",
        temperature: 0.6,
        max_tokens: 900,
        base_url: scene.provider.anthropicUrl,
        api_key_env: "ANSWER_KEY",
      }),
      DECIDE_KEY: "sk-test-decide-0001",
      ANSWER_KEY: "sk-test-answer-0002",
    };
    const { outcome } = await hear(scene, "6 乘 7？", [], { env });
    expect(request(scene, "cheap")).toMatchObject({
      headers: { authorization: "Bearer sk-test-decide-0001" },
      body: { temperature: 0.1, max_completion_tokens: 500, top_p: 0.8 },
    });
    expect(request(scene, "strong")).toMatchObject({
      headers: { authorization: "Bearer sk-test-answer-0002" },
      body: { temperature: 0.6, max_tokens: 900 },
    });
    expect(outcome).toMatchObject({ status: "complete", response: "42。" });
  });

  test("代码配置: createDuet takes both models, and one that is given alone answers too", async () => {
    const scene = await setScene();
    scriptProduct(scene);
    const both = await follow(await embed(scene), "6 乘 7？");
    expect(both.events[0]).toMatchObject({ models: { functionCall: "openai/cheap", answer: "anthropic/strong" } });
    expect(both.outcome.response).toBe("42。");

    scene.provider.script("cheap", { toolCalls: [calculate("6*7")] }, { text: "是 42。" });
    const alone = await follow(await embed(scene, { models: { functionCall: modelsOf(scene).cheap } }), "6 乘 7？");
    expect(alone.events[0]).toMatchObject({ models: { functionCall: "openai/cheap", answer: "openai/cheap" } });
    expect(alone.outcome.response).toBe("是 42。");
    expect(scene.provider.requests("strong")).toHaveLength(1);
  });

  test("UI 配置: the chat takes each of the two models with its own parameters, and shows both", async () => {
    const scene = await setScene();
    scriptProduct(scene);
    const decide = { provider: "openai", model: "cheap", base_url: scene.provider.openaiUrl, temperature: 0 };
    const answer = { provider: "anthropic", model: "strong", base_url: scene.provider.anthropicUrl, temperature: 1 };
    const terminal = await startTerminal(
      [
        "chat",
        "--mode",
        "agent",
        "--function-call-model",
        JSON.stringify(decide),
        "--answer-model",
        JSON.stringify(answer),
      ],
      {
        cwd: await temporaryFolder(),
        env: { ...scene.env, AGENT_FUNCTION_CALL_MODEL: "", AGENT_ANSWER_MODEL: "" },
      },
    );
    await terminal.shows("Duet · Agent 模式");
    await terminal.stands("openai/cheap → anthropic/strong");
    terminal.type("6 乘 7？\r");
    await terminal.shows("42。");
    terminal.type("/exit\r");
    expect(await terminal.ended()).toBe(0);
    expect(request(scene, "cheap").body).toMatchObject({ temperature: 0 });
    expect(request(scene, "strong").body).toMatchObject({ temperature: 1 });
  });

  test("配置验证: an answer model alone is refused in one line, and so is what is no model at all", async () => {
    const answer = '{"provider":"openai","model":"strong"}';
    const { code, stdout, stderr } = await runProgram(["ask", "你好", "--locale", "zh"], {
      env: { AGENT_ANSWER_MODEL: answer },
    });
    expect(stderr).toMatch(/^duet: AGENT_ANSWER_MODEL: 只设置回答模型是不够的.*AGENT_FUNCTION_CALL_MODEL.*\n$/);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });

    onTestFinished(() => void vi.unstubAllEnvs());
    for (const [value, wrong] of [
      ["{provider: openai", /AGENT_FUNCTION_CALL_MODEL/],
      ['{"provider":"nobody","model":"x"}', /nobody/],
      ['{"model":"x"}', /AGENT_FUNCTION_CALL_MODEL.*provider/],
      ['{"provider":"openai","temperature":2}', /AGENT_FUNCTION_CALL_MODEL.*temperature.*2/],
      ['{"provider":"openai","temprature":1}', /AGENT_FUNCTION_CALL_MODEL.*temprature/],
    ] as const) {
      vi.stubEnv("AGENT_FUNCTION_CALL_MODEL", value);
      const refused = await createDuet().catch((error: unknown) => error);
      expect(refused).toBeInstanceOf(DuetError);
      expect(refused).toMatchObject({ code: "config", message: expect.stringMatching(wrong) });
    }
  });

  test("配置验证: without an answer model the function-call model answers; without any the rules do, and say so", async () => {
    const scene = await setScene();
    scene.provider.script("cheap", { text: "我来回答。" });
    const one = { AGENT_ANSWER_MODEL: "" };
    const none = { ...one, AGENT_FUNCTION_CALL_MODEL: "", OPENAI_API_KEY: "", ANTHROPIC_API_KEY: "" };
    const [alone, rules] = await Promise.all([
      hear(scene, "你好", [], { env: one }),
      hear(scene, "echo hello", ["--locale", "zh"], { env: none }),
    ]);
    expect(alone.events[0]).toMatchObject({ models: { functionCall: "openai/cheap", answer: "openai/cheap" } });
    expect(alone.outcome).toMatchObject({ status: "complete", response: "我来回答。" });
    expect(rules.events[0]).toMatchObject({ models: { functionCall: "offline/rules" } });
    expect(rules.outcome.response).toMatch(/没有使用语言模型|no language model was used/);
  });
});

/** Two searches and an answer, as events and on the screen, in Chinese and in English. */
const phases = once(async () => {
  const scenes = await Promise.all([setScene(), setScene(), setScene()]);
  for (const { provider } of scenes) scriptTwoSearches(provider);
  const [heard, seen, english] = scenes;
  const [run, screen, englishScreen] = await Promise.all([
    hear(heard, question),
    ask(seen, question),
    ask(english, question, ["--locale", "en"]),
  ]);
  return { ...heard, ...run, screen, englishScreen };
});

describe("分阶段模型使用", () => {
  test("工具调用阶段使用 function_call_llm: each turn that may call tools is its, and the screen names it", async () => {
    const { provider, events, screen, englishScreen } = await phases();
    const decide = events.filter((event) => event.type === "phase-start" && event.phase === "decide");
    expect(decide).toHaveLength(3);
    for (const phase of decide) expect(phase).toMatchObject({ model: "openai/cheap" });
    expect(provider.journal.filter(({ body }) => body.tools !== undefined).map(({ model }) => model)).toEqual(
      Array.from({ length: 3 }, () => "cheap"),
    );
    expect(screen.stderr.match(/🧭 工具调用阶段 · openai\/cheap/g)).toHaveLength(3);
    expect(englishScreen.stderr.match(/🧭 deciding · openai\/cheap/g)).toHaveLength(3);
  });

  test("回答生成阶段使用 answer_llm: the answer is its, made of the results, streamed, and the screen names it", async () => {
    const run = await phases();
    const answer = run.events.filter((event) => event.type === "phase-start" && event.phase === "answer");
    expect(answer).toMatchObject([{ model: "anthropic/strong" }]);
    const { wire, body } = request(run, "strong");
    expect(wire).toBe("anthropic-messages");
    expect(body).toMatchObject({ stream: true });
    expect(body.tools).toBeUndefined();
    expect(JSON.stringify(body.messages)).toContain("最高气温 24 度");
    expect(run.events.filter(({ type }) => type === "answer-delta").length).toBeGreaterThan(1);
    expect(textOf(run.events, "answer-delta")).toBe(run.outcome.response);
    expect(run.screen.stderr).toContain("回答生成阶段 · openai/cheap → anthropic/strong");
    expect(run.englishScreen.stderr).toContain("the answer · openai/cheap → anthropic/strong");
  });

  test("模型切换提示: the switch is told, with its reason and both models", async () => {
    const { screen, englishScreen } = await phases();
    const models = "openai/cheap → anthropic/strong";
    expect(screen.stderr).toContain(`⚖ 工具调用结果已满足要求，切换到回答生成阶段 · ${models}\n`);
    expect(englishScreen.stderr).toContain(`⚖ The tool results are enough; switching to the answer · ${models}\n`);
    // Why and what comes next is said once.
    expect(screen.stderr.match(/满足要求/g)).toHaveLength(1);
  });

  test("流式输出支持: both models stream, the answer always, and one phase follows the other without a gap", async () => {
    const { provider, events } = await phases();
    for (const { body } of provider.journal) expect(body).toMatchObject({ stream: true });
    const last = events.findLastIndex((event) => event.type === "phase-end" && event.phase === "decide");
    const between = events.slice(last).map(({ type }) => type);
    expect(between.filter((type, index) => type !== between[index - 1])).toEqual([
      "phase-end",
      "evaluation",
      "phase-start",
      "answer-delta",
      "phase-end",
      "run-end",
    ]);

    const scene = await setScene();
    const thoughtSeen = Promise.withResolvers<void>();
    const answerSeen = Promise.withResolvers<void>();
    scene.provider.script("cheap", { text: "不需要工具。", hang: "after-text", until: thoughtSeen.promise });
    scene.provider.script("strong", { text: "你好，我是 Duet。", hang: "after-text", until: answerSeen.promise });
    const heard: string[] = [];
    // Each model goes on only when the reader has what it said so far: a run that does not stream never ends.
    for await (const event of (await embed(scene)).stream("你是谁？")) {
      if (event.type === "thought-delta" || event.type === "answer-delta") heard.push(event.text);
      if (heard.join("") === "不需要工具。") thoughtSeen.resolve();
      if (heard.join("").includes("你好，我是 Duet")) answerSeen.resolve();
    }
    expect(heard.join("")).toBe("不需要工具。你好，我是 Duet。");
  });
});

/** A run whose models have prices and take their time, with its trace. */
const billed = once(async () => {
  const [scene, home] = await Promise.all([setScene(), temporaryFolder()]);
  scene.provider.script(
    "cheap",
    { toolCalls: [calculate("6*7")], usage: { input: 1000, output: 100 }, delayMs: 20 },
    { text: "够了，可以回答。", usage: { input: 2000, output: 200 }, delayMs: 20 },
  );
  scene.provider.script("strong", { text: "六乘七等于 42。", usage: { input: 3000, output: 300 }, delayMs: 60 });
  const config = await configFile({
    providers: {
      openai: { prices: { cheap: { input: 1, output: 2 } } },
      anthropic: { prices: { strong: { input: 10, output: 50 } } },
    },
  });
  const env = { HOME: home };
  const screen = await ask(scene, "6 乘 7？", ["--config", config], { env });
  const [trace, opened] = await Promise.all([
    runProgram(["trace", "--output", "json"], { env }),
    runProgram(["trace", "--locale", "zh"], { env }),
  ]);
  return { bill: screen.stderr.split("\n").at(-2) ?? "", trace: JSON.parse(trace.stdout), opened: opened.stdout };
});

describe("成本和使用统计", () => {
  test("分别统计 token 使用: the tokens of each model, their sum, and what they cost", async () => {
    const { bill, trace } = await billed();
    expect(trace.models).toMatchObject({
      function_call: { model: "cheap", input_tokens: 3000, output_tokens: 300, cost_usd: 0.0036 },
      answer: { model: "strong", input_tokens: 3000, output_tokens: 300, cost_usd: 0.045 },
    });
    expect(trace).toMatchObject({ token_usage: { total_tokens: 6600 }, cost_usd: 0.0486 });
    expect(bill).toMatch(/决策 openai\/cheap .*3000→300 tok .*\$0\.0036 · 回答/);
    expect(bill).toMatch(/回答 anthropic\/strong .*3000→300 tok .*\$0\.0450 · 共 6600 tok · .*\$0\.0486$/);
  });

  test("分别统计 token 使用: what a model without a known price costs is not known, never nothing", async () => {
    const { outcome } = await phases();
    expect(outcome.meta).toMatchObject({
      total_tokens: 60,
      cost_usd: null,
      models: { function_call: { cost_usd: null }, answer: { cost_usd: null } },
    });
  });

  test("分别统计调用次数: how often each model was called", async () => {
    const { bill, trace } = await billed();
    expect(trace.models).toMatchObject({ function_call: { calls: 2 }, answer: { calls: 1 } });
    expect(bill).toContain("决策 openai/cheap ×2 ");
    expect(bill).toContain("回答 anthropic/strong ×1 ");
  });

  test("分别统计执行时间: how long each phase took", async () => {
    const { bill, trace, opened } = await billed();
    const times: { phase: string; elapsed_ms: number }[] = trace.phases;
    expect(times.map(({ phase }) => phase)).toEqual(["decide", "decide", "answer"]);
    for (const { elapsed_ms } of times) expect(elapsed_ms).toBeGreaterThan(0);
    const { function_call, answer } = trace.models;
    const decided = (times[0]?.elapsed_ms ?? 0) + (times[1]?.elapsed_ms ?? 0);
    expect(Math.abs(function_call.elapsed_ms - decided)).toBeLessThanOrEqual(2);
    expect(answer.elapsed_ms).toBe(times[2]?.elapsed_ms);
    expect(bill).toMatch(/决策 .* tok \d+\.\d s .* 回答 .* tok \d+\.\d s .* tok · \d+\.\d s/);
    expect(opened).toMatch(/Σ 🧭 工具调用阶段 ×2 3000→300 tok \d+\.\d s/);
    expect(opened).toMatch(/📝 回答生成阶段 \d · anthropic\/strong 3000→300 tok \d+\.\d s/);
  });
});
