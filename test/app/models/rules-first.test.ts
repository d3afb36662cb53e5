import { describe, expect, test } from "vitest";
import { createRuleRouter } from "../../../src/providers/offline/router.ts";
import { embed, follow, modelsOf, request, setScene, told } from "../../spec/agent-mode/two-models.ts";

const rulesFirst = { agent: { rules: "first" } } as const;

describe("方案 B：规则路由 + LLM 增强: with agent.rules first", () => {
  test("a plain request is answered by rule: the steps show it, no model is asked and none is billed", async () => {
    const scene = await setScene();
    const duet = await embed(scene, { config: rulesFirst });
    const { outcome, events } = await follow(duet, "计算 [1,2,3,4,5] 的平均值，然后 echo hello");
    expect(scene.provider.journal).toEqual([]);
    expect(outcome).toMatchObject({ status: "complete", stop_reason: "answered", response: "平均值是 3。\n\nhello" });
    expect(outcome.meta).toMatchObject({
      total_tokens: 0,
      models: { function_call: { calls: 0 }, answer: { calls: 0 } },
    });
    const phases = events.flatMap((event) => (event.type === "phase-start" ? [`${event.phase} ${event.model}`] : []));
    expect(phases).toEqual(["decide offline/rules", "decide offline/rules", "answer offline/rules"]);
    expect(events).toContainEqual(
      expect.objectContaining({ type: "evaluation", verdict: "answer", reason: "rules-answered" }),
    );
  });

  test("a follow-up in a conversation, and a request whose call failed, go to the models", async () => {
    const scene = await setScene();
    scene.provider.script("cheap", { text: "够了。" }, { text: "够了。" });
    scene.provider.script("strong", { text: "甲" }, { text: "乙" });
    const duet = await embed(scene, { config: rulesFirst });
    const first = await follow(duet, "echo hello");
    expect(scene.provider.journal).toEqual([]);
    const followUp = await follow(duet, "echo hello", { conversationId: first.outcome.conversation_id });
    expect(followUp.outcome.response).toBe("甲");
    expect(told(request(scene, "strong"))).toContain("hello");
    const failed = await follow(duet, "计算 1/0");
    expect(failed.outcome.tool_calls).toMatchObject([{ tool: "calculator", ok: false }]);
    expect(failed.events).toContainEqual(expect.objectContaining({ type: "notice", code: "rules-failed" }));
    expect(failed.outcome.response).toBe("乙");
  });

  test("offline beside an answer model picks tools by rule, and leaves to that model what the rules do not know", async () => {
    const scene = await setScene();
    scene.provider.script(
      "strong",
      { text: "三。" },
      { toolCalls: [{ name: "echo", arguments: { text: "hi" } }] },
      { text: "你好。" },
    );
    const duet = await embed(scene, { models: { functionCall: "offline", answer: modelsOf(scene).strong } });
    const known = await follow(duet, "计算 1+2");
    expect(known.outcome).toMatchObject({ response: "三。", tool_calls: [{ tool: "calculator", ok: true }] });
    const unknown = await follow(duet, "你觉得怎么样？");
    expect(unknown.events).toContainEqual(expect.objectContaining({ type: "notice", code: "rules-unsure" }));
    expect(unknown.outcome).toMatchObject({ response: "你好。", tool_calls: [{ tool: "echo", ok: true }] });
  });
});

const tools = [
  ["echo", "text"],
  ["calculator", "expression", "numbers", "operations"],
  ["current_time", "timezone"],
  ["file_search", "query", "root_dir", "limit"],
  ["web_search", "query"],
  ["log_transform", "path"],
  ["read_page", "url"],
].map(([name = "", ...names]) => ({
  name,
  description: "",
  inputSchema: { type: "object", properties: Object.fromEntries(names.map((one) => [one, {}])) },
}));

test.each([
  ["东京现在几点", true],
  ["what is 12.5% of 80", true],
  ["计算 [1,2,3] 的平均值", true],
  ["搜索包含 'calculator' 的文件", true],
  ["现在几点，然后计算 2*21", true],
  // A word beside the request may change it.
  ["计算 3+4 并解释为什么", false],
  ["计算 [1,2,3] 的平均值，并解释方差的含义", false],
  ["find files that contain secrets and delete them", false],
  ["find files containing 'a' and delete them", false],
  ["复述这篇文章的要点", false],
  // A model makes more of these results than a list.
  ["search the web for node", false],
  ["分析 data/logs/app.log", false],
  ["总结 https://example.com", false],
  // The second part needs the result of the first.
  ["搜索包含 'x' 的文件，然后计算其中数字的平均值", false],
  ["你好", false],
  ["what can you do", false],
  [`echo ${"x".repeat(200)}`, false],
])("the rules answer %s in place of a model: %s", (question, isTaken) => {
  const step = createRuleRouter().findStep({ question, done: [], tools, locale: "zh" });
  expect(step !== undefined).toBe(isTaken);
});
