import { writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { createDuet, defineTool, type Evaluator } from "../../../src/index.ts";
import { verdictsOf } from "../../fakes/events.ts";
import { configFile } from "../../fakes/program.ts";
import { ask, calculate, embed, follow, hear, lastMessage, request, searchFor, setScene, told } from "./two-models.ts";

/** Creates a tool that returns the given text. */
const say = defineTool({
  name: "say",
  description: "Gives back what it gets.",
  inputSchema: { type: "object", properties: { text: { type: "string" } } },
  run: ({ text }) => String(text),
});

function saying(text: string) {
  return { toolCalls: [{ name: "say", arguments: { text } }] };
}

const longEnough = "这个结果足够长，可以用来回答用户提出的问题了。";

describe("工具调用结果评估", () => {
  test("基于调用次数的评估: after five calls the loop stops and the answer begins", async () => {
    const scene = await setScene();
    scene.provider.script(
      "cheap",
      { toolCalls: ["1+1", "2+2", "3+3"].map(calculate) },
      { toolCalls: ["4+4", "5+5", "6+6"].map(calculate) },
      { text: "never" },
    );
    scene.provider.script("strong", { text: "2、4、6、8、10。" });
    const { outcome, events, code } = await hear(scene, "算出这些和");
    expect(outcome.tool_calls.map(({ ok, result }) => [ok, result])).toEqual([
      [true, "1+1 = 2"],
      [true, "2+2 = 4"],
      [true, "3+3 = 6"],
      [true, "4+4 = 8"],
      [true, "5+5 = 10"],
      [false, "已达到最大工具调用次数（5 次），这个调用没有执行。"],
    ]);
    expect(scene.provider.requests("cheap")).toHaveLength(2);
    expect(events).toContainEqual(
      expect.objectContaining({ type: "notice", message: "已达到最大工具调用次数（5 次），基于已有信息回答。" }),
    );
    expect(told(request(scene, "strong"))).toContain("5+5 = 10");
    expect(outcome).toMatchObject({ status: "partial", stop_reason: "tool_call_limit", response: "2、4、6、8、10。" });
    expect(code).toBe(3);
  });

  test("基于结果质量的评估: an empty or short result lets the loop go on, a sufficient one may end it", async () => {
    const scene = await setScene();
    scene.provider.script("cheap", saying(""), saying("短"), saying(longEnough), { text: "never" });
    scene.provider.script("strong", { text: "好。" });
    const evaluation = { stopWhenSufficient: true };
    const duet = await embed(scene, { tools: [say], config: { agent: { evaluation } } });
    const { events, outcome } = await follow(duet, "说点什么");
    expect(verdictsOf(events)).toEqual(["continue result-thin", "continue result-thin", "answer sufficient"]);
    expect(scene.provider.requests("cheap")).toHaveLength(3);
    expect(outcome).toMatchObject({ status: "complete", stop_reason: "answered", response: "好。" });
  });

  test("基于结果质量的评估: unless told otherwise, the function-call model itself judges a sufficient result", async () => {
    const scene = await setScene();
    scene.provider.script("cheap", saying(longEnough), { text: "够了。" });
    scene.provider.script("strong", { text: "好。" });
    const { events } = await follow(await embed(scene, { tools: [say] }), "说点什么");
    expect(verdictsOf(events)).toEqual(["continue model-decides", "answer model-decided"]);
  });

  test("可配置的评估策略: the most calls and the length of a thin result, from the environment", async () => {
    const scene = await setScene();
    scene.provider.script("cheap", { toolCalls: [calculate("1+1")] }, { toolCalls: [calculate("10000*10000")] });
    scene.provider.script("strong", { text: "好。" });
    const env = { AGENT_MAX_TOOL_CALLS: "2", AGENT_RESULT_MIN_LENGTH: "8" };
    const { events, outcome } = await hear(scene, "算两个数", [], { env });
    // "1+1 = 2" has seven characters.
    expect(verdictsOf(events)).toEqual(["continue result-thin", "answer calls-used"]);
    expect(events).toContainEqual(
      expect.objectContaining({ type: "evaluation", message: expect.stringContaining("少于 8 个字符") }),
    );
    expect(outcome).toMatchObject({ status: "complete", stop_reason: "answered" });

    onTestFinished(() => void vi.unstubAllEnvs());
    for (const [name, value] of [
      ["AGENT_MAX_TOOL_CALLS", "0"],
      ["AGENT_MAX_TOOL_CALLS", "51"],
      ["AGENT_RESULT_MIN_LENGTH", "-1"],
    ] as const) {
      vi.stubEnv(name, value);
      const message = expect.stringMatching(new RegExp(`^${name}: ${value} is not allowed`));
      await expect(createDuet()).rejects.toMatchObject({ code: "config", message });
      vi.unstubAllEnvs();
    }
  });

  test("可配置的评估策略: an evaluator of the user's own, in a module or as an argument", async () => {
    const [scene, embedded] = await Promise.all([setScene(), setScene()]);
    for (const { provider } of [scene, embedded]) {
      provider.script("cheap", { toolCalls: [searchFor("上海 明天 天气预报")] }, { text: "never" });
      provider.script("strong", { text: "多云[1]。" });
    }
    const config = await configFile({ agent: { evaluation: { module: "./evaluate.mjs" } } });
    const module = `export default ({ results }) =>
      results.some(({ text }) => text.includes("多云")) ? { verdict: "answer", reason: "已经知道是多云" } : undefined;`;
    await writeFile(join(dirname(config), "evaluate.mjs"), module);
    const { stderr, code } = await ask(scene, "上海明天天气？", ["--config", config]);
    expect(stderr).toContain("⚖ 已经知道是多云，切换到回答生成阶段 · ");
    expect(scene.provider.requests("cheap")).toHaveLength(1);
    expect(code).toBe(0);

    const evaluator: Evaluator = ({ toolCalls }) =>
      toolCalls > 0 ? { verdict: "answer", reason: "一次就够" } : undefined;
    const { events } = await follow(await embed(embedded, { evaluator }), "上海明天天气？");
    expect(verdictsOf(events)).toEqual(["answer custom"]);
    expect(embedded.provider.requests("cheap")).toHaveLength(1);
  });

  test("评估结果展示: each verdict is on the screen: why it goes on, why it stops, and that the answer comes next", async () => {
    const scene = await setScene();
    scene.search.fault = "broken";
    scene.provider.script(
      "cheap",
      { toolCalls: [calculate("1+1")] },
      { toolCalls: [searchFor("上海 明天 天气预报")] },
      () => {
        scene.search.fault = undefined;
        return { toolCalls: [searchFor("上海 明天 最高气温")] };
      },
      { text: "够了。" },
    );
    scene.provider.script("strong", { text: "24 度[2]。" });
    const { stderr } = await ask(scene, "上海明天多少度？");
    expect(stderr.split("\n").filter((line) => line.startsWith("⚖"))).toEqual([
      "⚖ 结果较短（少于 20 个字符），由模型判断是否足够。",
      "⚖ 工具调用失败，由模型决定下一步。",
      "⚖ 已有工具结果，由工具调用模型判断是否还需要更多信息。",
      expect.stringMatching(/^⚖ 工具调用结果已满足要求，切换到回答生成阶段 · \S+ → \S+$/),
    ]);
    expect(lastMessage(request(scene, "cheap", 1))).toContain("1+1 = 2");
  });
});
