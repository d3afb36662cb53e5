import { expect, test } from "vitest";
import { settableLimits } from "../../../../src/core/limits/limits.ts";
import { openTestChat } from "./test-chat.ts";

const tested = ["maxIterations", "maxToolCalls", "maxExecutionTime", "tokenBudget"];

/** Is true for the line of a limit that the test below does not name. */
function isOtherLimit(line: string): boolean {
  return settableLimits.some(({ key, title }) => !tested.includes(key) && line.startsWith(`  ${title.en}:`));
}

test("/config shows the mode with its limits, the models with their parameters, and what was changed in the chat", async () => {
  const model = { provider: "openai", model: "one", temperature: 0.3, baseUrl: "http://127.0.0.1:9/v1" };
  const answer = { ...model, model: "two", topP: 0.5, maxTokens: 500 };
  const chat = await openTestChat({ settings: { models: { functionCall: model, answer } } });
  chat.settings.limits = { maxIterations: 7 };
  const lines = await chat.type("/config");
  expect(lines.filter((line) => !isOtherLimit(line))).toEqual([
    "Mode: Agent mode · an assistant that decides by itself whether to search the web",
    "  Maximum iterations: 7 (1-1000)",
    "  Maximum tool calls: 5 (1-10000)",
    "  Time limit: 60 s (10-86400)",
    "  Token budget: 100000",
    "Function-call model: openai/one · temperature 0.3 · max_tokens 2000",
    "Answer model: openai/two · temperature 0.3 · max_tokens 500 · top_p 0.5",
    "Web search: In Agent mode the AI decides by itself when to search",
    expect.stringMatching(/^ {2}Search services: Tavily/),
    "Language: English (en)",
    `Configuration file: ${chat.config.file}`,
    "Conversation: a new one; no question yet",
  ]);
});

test("/config of chat mode shows the search switch and no rounds, in Chinese too", async () => {
  const chat = await openTestChat({ mode: "chat" });
  chat.settings.locale = "zh";
  const text = (await chat.type("/config")).join("\n");
  expect(text).toContain("模式：Chat 模式 · 常规对话,可手动启用联网搜索");
  expect(text).toContain("模型（工具调用与回答）：offline/rules");
  expect(text).toContain("联网搜索：关");
  expect(text).not.toContain("最大迭代次数");
});

test("/tools lists the tools by source with their weight, or those of one", async () => {
  const chat = await openTestChat();
  const all = await chat.type("/tools");
  expect(all[0]).toMatch(/^builtin · ready · \d+ tools · about \d+ tokens$/);
  expect(all.join("\n")).toMatch(/^ {2}calculator +\S/m);
  expect(await chat.type("/tools BUILTIN")).toEqual(all.filter((line) => /^builtin|^ {2}/.test(line)));
  expect(await chat.type("/tools amap")).toEqual(['✗ Unknown server "amap". Allowed: builtin.']);
});

test("/doctor checks what a run needs, a line each", async () => {
  const chat = await openTestChat();
  const lines = await chat.type("/doctor");
  expect(lines[0]).toMatch(/^✓ Node\.js /);
  expect(lines.join("\n")).toContain("✓ model offline: the offline rules, as configured (not a language model)");
});
