import { describe, expect, test } from "vitest";
import { noticesOf, verdictsOf } from "../../fakes/events.ts";
import { temporaryFolder } from "../../fakes/program.ts";
import { runWarmProgram as runProgram } from "../../fakes/warm-program.ts";
import {
  ask,
  calculate,
  embed,
  follow,
  hear,
  lastMessage,
  question,
  request,
  searchFor,
  setScene,
  told,
} from "./two-models.ts";

/** A server error that may be tried again at once. */
const broken = { status: 500, body: '{"error":{"message":"The engine exploded"}}', headers: { "retry-after": "0" } };

describe("Agent 错误处理", () => {
  test("工具调用失败: the error goes to the model, which tries again, and the screen shows the failure", async () => {
    const scene = await setScene();
    scene.search.fault = "rate";
    scene.provider.script(
      "cheap",
      { toolCalls: [searchFor("上海 明天 天气预报")] },
      () => {
        scene.search.fault = undefined;
        return { text: "限流了，再试一次。", toolCalls: [searchFor("上海 明天 天气预报")] };
      },
      { text: "够了。" },
    );
    scene.provider.script("strong", { text: "多云[1]。" });
    const { code, stdout, stderr } = await ask(scene, question);
    expect(lastMessage(request(scene, "cheap", 1))).toContain("SearXNG 搜索失败：请求过多（HTTP 429）");
    expect(stderr).toMatch(/✗ .*web_search \(\d+ ms\) SearXNG 搜索失败：请求过多（HTTP 429）/);
    expect(stderr).toContain("⚖ 工具调用失败，由模型决定下一步。");
    expect(scene.search.journal).toHaveLength(2);
    expect(stdout).toContain("多云[1]。");
    expect(code).toBe(0);
  });

  test("工具调用失败: or it goes by what it knows", async () => {
    const scene = await setScene();
    scene.search.fault = "broken";
    scene.provider.script("cheap", { toolCalls: [searchFor("水 化学式")] }, { text: "这是常识，不用再搜。" });
    scene.provider.script("strong", { text: "H2O。" });
    const { outcome } = await follow(await embed(scene), "水的化学式？");
    expect(outcome).toMatchObject({ status: "complete", response: "H2O。", citations: [] });
    expect(told(request(scene, "strong"))).toContain("SearXNG 搜索失败：HTTP 500");
  });

  test("LLM API 错误: the request is tried again, and the run goes on as if nothing had been", async () => {
    const scene = await setScene();
    scene.provider.script("cheap", broken, { toolCalls: [calculate("6*7")] }, { text: "够了。" });
    scene.provider.script("strong", broken, { text: "42。" });
    const { outcome, events } = await follow(await embed(scene), "6 乘 7？");
    expect(outcome).toMatchObject({ status: "complete", response: "42。", error: null });
    expect(noticesOf(events)).toEqual(["retry", "retry"]);
    expect(events).toContainEqual(
      expect.objectContaining({
        code: "retry",
        message: expect.stringMatching(/^[\d.]+ 秒后重试 openai\/cheap（1\/3）：.*The engine exploded/),
      }),
    );
  });

  test("LLM API 错误: when that does not help the agent stops, with a friendly message that advises the Chat mode", async () => {
    const scene = await setScene();
    scene.provider.script("cheap", broken, broken, broken, broken, { text: "never" });
    const { code, stdout, stderr } = await ask(scene, "你好");
    expect(scene.provider.requests("cheap")).toHaveLength(4);
    expect(scene.provider.requests("strong")).toHaveLength(0);
    const last = stderr.split("\n").find((line) => line.startsWith("✗")) ?? "";
    expect(last).toContain("HTTP 500）：The engine exploded");
    expect(last).toContain("切换到 Chat 模式（mode chat）再试。");
    expect(stdout + stderr).not.toMatch(/\n\s+at |Error:/);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  });

  test("无限循环检测: the same call with the same result is refused, then the loop is ended, with the advice to ask otherwise or switch modes", async () => {
    const scene = await setScene();
    const again = { toolCalls: [searchFor("上海 明天 天气预报")] };
    scene.provider.script("cheap", again, again, again, again, { text: "never" });
    scene.provider.script("strong", { text: "多云[1]。" });
    const { code, stdout, stderr } = await ask(scene, question);
    expect(scene.provider.requests("cheap")).toHaveLength(4);
    for (const position of [1, 2]) expect(lastMessage(request(scene, "cheap", position))).toContain("上海天气预报");
    expect(lastMessage(request(scene, "cheap", 3))).toContain("已经用相同的参数调用过，结果也相同，这次没有执行");
    expect(stderr).toContain("检测到重复的操作，停止调用工具，基于已有信息回答。可以换一种问法，或切换模式。");
    expect(stderr).toContain("⚠ 这是不完整的回答：检测到重复操作。");
    expect(stdout).toContain("多云[1]。");
    expect(code).toBe(3);
  });

  test("无限循环检测: the same in English", async () => {
    const scene = await setScene();
    const again = { toolCalls: [calculate("6*7")] };
    scene.provider.script("cheap", again, again, again, again, { text: "never" });
    scene.provider.script("strong", { text: "42." });
    const { outcome, events } = await follow(await embed(scene, { config: { locale: "en" } }), "Six times seven?");
    expect(outcome).toMatchObject({ status: "partial", stop_reason: "repetition", response: "42." });
    expect(outcome.tool_calls.map(({ ok }) => ok)).toEqual([true, true, false, false]);
    expect(lastMessage(request(scene, "cheap", 3))).toContain("so it was not run again");
    expect(events).toContainEqual(
      expect.objectContaining({
        type: "notice",
        code: "repetition",
        message: expect.stringContaining("Rephrase the question, or switch modes."),
      }),
    );
  });

  test("异常恢复: the function-call model fails after a result: the answer is made of it, and the failure is kept in the trace", async () => {
    const scene = await setScene();
    const refused = { status: 400, body: '{"error":{"message":"no such parameter"}}' };
    scene.provider.script("cheap", { toolCalls: [calculate("6*7")] }, refused);
    scene.provider.script("strong", { text: "42。" });
    const env = { HOME: await temporaryFolder() };
    const { outcome, events } = await hear(scene, "6 乘 7？", [], { env });
    expect(outcome).toMatchObject({ status: "partial", stop_reason: "error", response: "42。" });
    expect(noticesOf(events)).toEqual(["decide-failed"]);
    expect(verdictsOf(events).at(-1)).toBe("answer model-failed");
    const trace = await runProgram(["trace", outcome.run_id, "--locale", "zh"], { env });
    expect(trace.stdout).toMatch(/⚠ 工具调用模型出错，基于已有结果回答：.*no such parameter/);
  });

  test("异常恢复: no model can write: the results so far are the answer", async () => {
    const scene = await setScene();
    const refused = { status: 400, body: '{"error":{"message":"no such parameter"}}' };
    scene.provider.script("cheap", { toolCalls: [calculate("6*7")] }, { text: "够了。" }, refused);
    scene.provider.script("strong", refused);
    const { outcome, events } = await follow(await embed(scene), "6 乘 7？");
    expect(outcome).toMatchObject({
      success: true,
      status: "partial",
      stop_reason: "error",
      response: expect.stringMatching(/没有模型能够写出回答，以下是已有的中间结果：[\s\S]*6\*7 = 42/),
      error: { code: "invalid_request", message: expect.stringContaining("no such parameter") },
    });
    expect(noticesOf(events)).toEqual(["answer-fallback"]);
  });

  test.each([
    ["zh", "也可以切换到 Chat 模式（mode chat）再试。"],
    ["en", "You can also switch to Chat mode (mode chat) and try again."],
  ] as const)(
    "异常恢复: there is nothing to show: the error is told, with the advice to switch to the Chat mode (%s)",
    async (locale, advice) => {
      const scene = await setScene();
      scene.provider.script("cheap", { status: 400, body: '{"error":{"message":"no such parameter"}}' });
      const { outcome } = await follow(await embed(scene, { config: { locale } }), "你好");
      expect(outcome).toMatchObject({
        success: false,
        status: "failed",
        response: "",
        error: {
          message: expect.stringContaining("no such parameter"),
          hint: expect.stringContaining(advice),
        },
      });
    },
  );
});
