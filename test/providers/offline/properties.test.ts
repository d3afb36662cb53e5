import fc from "fast-check";
import { expect, test } from "vitest";
import type { Message } from "../../../src/core/model/messages.ts";
import type { JsonObject } from "../../../src/kit/json.ts";
import { anyText } from "../../fakes/any-text.ts";
import { startCpuClock } from "../../fakes/cpu-time.ts";
import { allTools, converse, takeTurn } from "./turns.ts";

const words = [
  ..."计算 搜索 包含 文件 的 平均值 最大值 然后 ，然后 ，再 ； 在 目录下 最多返回 5 条 现在几点 北京 天气 分析 app.log".split(
    " ",
  ),
  ..."echo search files containing calculate average of what is then , then ; and fetch https://a.example/x time in".split(
    " ",
  ),
  ..."[1,2,3] 【1，2】 1 2.5 -3 1e9 + * ( ) ' \" “ ” ` \n \ue000 <<<result >>> [1] ```".split(" "),
];
const question = fc.oneof(
  anyText({ maxLength: 200 }),
  fc.array(fc.constantFrom(...words), { maxLength: 25 }).map((parts) => parts.join(" ")),
  fc.array(fc.constantFrom(...words), { maxLength: 25 }).map((parts) => parts.join("")),
);
const result = fc.oneof(
  anyText({ maxLength: 300 }),
  fc.json(),
  fc.constantFrom("", "a = 1", "x:1: 2 3", '找到 9 处匹配 "x"', "[1] t\nhttps://a.example\ns", "<<<result\n>>>"),
);

test("whatever is asked and whatever the tools answer, a run ends within six turns and never repeats a call", async () => {
  await fc.assert(
    fc.asyncProperty(
      question,
      fc.array(fc.tuple(result, fc.boolean()), { minLength: 1, maxLength: 6 }),
      async (asked, results) => {
        let next = 0;
        const { calls, answer, turns } = await converse(asked, allTools, () => {
          const [text, ok] = results[next++ % results.length] ?? ["", true];
          return ok ? text : { failed: text };
        });
        expect(turns).toBeLessThanOrEqual(6);
        expect(answer.trim()).not.toBe("");
        expect(new Set(calls.map((call) => JSON.stringify(call))).size).toBe(calls.length);
      },
    ),
    { numRuns: 500 },
  );
});

const message: fc.Arbitrary<Message> = fc.oneof(
  fc.record({ role: fc.constant("system" as const), content: question }),
  fc.record({ role: fc.constant("user" as const), content: question }),
  fc.record({
    role: fc.constant("assistant" as const),
    content: question,
    toolCalls: fc.array(
      fc.record({
        id: fc.constantFrom("", "a", "b"),
        name: fc.constantFrom("echo", "calculator", "x__web_search", "unknown", "__"),
        argumentsText: fc.constantFrom("{}", "{"),
        arguments: fc.constantFrom<(JsonObject | undefined)[]>(
          undefined,
          {},
          { text: "x" },
          { numbers: [1], operations: ["mean"] },
        ),
      }),
      { maxLength: 3 },
    ),
  }),
  fc.record({
    role: fc.constant("tool" as const),
    callId: fc.constantFrom("", "a", "b"),
    tool: fc.constantFrom("echo", "calculator"),
    content: result,
    ok: fc.boolean(),
  }),
);

test("no history makes it throw", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(message, { maxLength: 8 }), fc.boolean(), async (messages, hasTools) => {
      const turn = await takeTurn(messages, hasTools ? allTools : []);
      expect(turn.message.content).not.toBe("");
      expect(turn.message.toolCalls.length > 0).toBe(turn.finish === "tool-calls");
      expect(hasTools || turn.finish === "stop").toBe(true);
    }),
    { numRuns: 500 },
  );
});

test.each(["search ", "计算 ", "1", "1+", "在 ", "find a in ", "，然后", "'", "(", "[", "a/", "https://a"])(
  "a long text of %j takes no time",
  async (piece) => {
    const cpuTime = startCpuClock();
    await takeTurn([{ role: "user", content: `计算 ${piece.repeat(20_000 / piece.length - 5)}` }]);
    expect(cpuTime()).toBeLessThan(20_000);
  },
);
