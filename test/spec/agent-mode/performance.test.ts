import { describe, expect, test } from "vitest";
import * as z from "zod";
import { defineTool } from "../../../src/index.ts";
import { textOf } from "../../fakes/events.ts";
import { ask, calculate, embed, follow, question, searchFor, setScene } from "./two-models.ts";

describe("Agent 性能优化", () => {
  test("流式输出优化: thoughts and answer are there before their models have finished", async () => {
    const scene = await setScene();
    const thoughtSeen = Promise.withResolvers<void>();
    const answerSeen = Promise.withResolvers<void>();
    scene.provider.script("cheap", { text: "不需要工具。", hang: "after-text", until: thoughtSeen.promise });
    scene.provider.script("strong", { text: "你好，我是 Duet。", hang: "after-text", until: answerSeen.promise });
    let thought = "";
    let answer = "";
    // The models go on only when the reader has what they said so far: a run that does not stream never ends.
    for await (const event of (await embed(scene)).stream("你是谁？")) {
      if (event.type === "thought-delta") thought += event.text;
      if (event.type === "answer-delta") answer += event.text;
      if (thought === "不需要工具。") thoughtSeen.resolve();
      if (answer.startsWith("你好，我是 Duet")) answerSeen.resolve();
    }
    expect(answer).toBe("你好，我是 Duet。");
  });

  test("并发执行: calls that do not depend on one another run at the same time, each with its own step", async () => {
    const scene = await setScene();
    const met = Promise.withResolvers<void>();
    let waiting = 0;
    // Each call ends only when all three are there.
    const meet = defineTool({
      name: "meet",
      description: "Waits for the others.",
      inputSchema: z.object({ place: z.string() }),
      async run({ place }) {
        if (++waiting === 3) met.resolve();
        await met.promise;
        return `在${place}见到了其他人。`;
      },
    });
    const calls = ["北京", "上海", "广州"].map((place) => ({ name: "meet", arguments: { place } }));
    scene.provider.script("cheap", { toolCalls: calls }, { text: "够了。" });
    scene.provider.script("strong", { text: "都见到了。" });
    const { events, outcome } = await follow(await embed(scene, { tools: [meet] }), "三个人见面了吗？");
    const steps = events.map(({ type }) => type).filter((type) => type.startsWith("tool-"));
    expect(steps).toEqual(["tool-start", "tool-start", "tool-start", "tool-end", "tool-end", "tool-end"]);
    expect(outcome.tool_calls.map(({ result }) => result)).toEqual([
      "在北京见到了其他人。",
      "在上海见到了其他人。",
      "在广州见到了其他人。",
    ]);
  });

  test("Token 使用监控: the tokens of thinking, of tool calls and of the answer are summed up and shown", async () => {
    const scene = await setScene();
    scene.provider.script(
      "cheap",
      { toolCalls: [calculate("6*7")], usage: { input: 100, output: 10 } },
      { text: "够了。", usage: { input: 200, output: 20 } },
    );
    scene.provider.script("strong", { text: "42。", usage: { input: 300, output: 30 } });
    const { stderr } = await ask(scene, "6 乘 7？");
    const bill = stderr.split("\n").at(-2) ?? "";
    expect(bill).toContain("决策 openai/cheap ×2 300→30 tok");
    expect(bill).toContain("回答 anthropic/strong ×1 300→30 tok");
    expect(bill).toContain("共 660 tok");
  });

  test("搜索结果缓存: the same query is searched once a conversation, also when it is asked at the same time or later", async () => {
    const scene = await setScene();
    const query = searchFor("上海 明天 天气预报");
    const enough = { text: "够了。" };
    scene.provider.script("cheap", { toolCalls: [query, query] }, enough, { toolCalls: [query] }, enough);
    scene.provider.script("cheap", { toolCalls: [query] }, enough);
    scene.provider.script("strong", { text: "多云[1]。" }, { text: "还是多云[1]。" }, { text: "多云[1]。" });
    const duet = await embed(scene);
    const first = await follow(duet, question);
    expect(first.outcome.tool_calls.map(({ cached }) => cached)).toEqual([false, true]);
    const conversationId = first.outcome.conversation_id;
    const second = await follow(duet, "再查一次。", { conversationId });
    expect(second.outcome.tool_calls).toMatchObject([{ cached: true, result: first.outcome.tool_calls[0]?.result }]);
    expect(second.events).toContainEqual(expect.objectContaining({ type: "tool-end", cached: true, resultCount: 4 }));
    expect(textOf(second.events, "answer-delta")).toContain("[1] 上海天气预报");
    expect(scene.search.journal).toHaveLength(1);

    const other = await follow(duet, question);
    expect(other.outcome.tool_calls.map(({ cached }) => cached)).toEqual([false]);
    expect(scene.search.journal).toHaveLength(2);
  });
});
