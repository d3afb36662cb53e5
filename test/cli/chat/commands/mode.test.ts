import { expect, test } from "vitest";
import { openTestChat } from "./test-chat.ts";

test("/mode shows the modes with the requirement's explanations, the one in force marked, and takes the one that is chosen", async () => {
  const chat = await openTestChat({ mode: "chat", picks: ["Agent 模式", undefined] });
  chat.settings.locale = "zh";
  expect(await chat.type("/mode")).toEqual([
    "已切换到 Agent 模式，对话历史已清除。",
    "联网搜索开关已禁用：Agent 模式下由 AI 自动决策搜索",
  ]);
  expect(chat.shown[0]).toEqual({
    title: "💬 对话模式",
    labels: ["Chat 模式", "Agent 模式", "Plan 模式"],
    details: ["常规对话,可手动启用联网搜索", "智能助手,自动决策是否需要联网搜索", "先规划后执行，计划由你确认"],
    chosen: "chat",
  });
  expect(chat.settings.mode).toBe("agent");
  expect(chat.refreshed).toBe(1);
  expect(await chat.type("/mode")).toEqual([]);
  expect(chat.settings.mode).toBe("agent");
});

test("a mode that there is not is refused with those there are, and where nobody can be asked they are listed", async () => {
  const chat = await openTestChat({ mode: "chat" });
  expect(await chat.type("/mode fast")).toEqual(['✗ Unknown mode "fast". Allowed: chat, agent, plan.']);
  expect(await chat.type("/mode")).toEqual([
    "💬 Mode",
    "  Chat mode · plain conversation; web search can be switched on by hand · current",
    "  Agent mode · an assistant that decides by itself whether to search the web",
    "  Plan mode · plans first, then acts; you confirm the plan",
    "Usage: /mode [chat|agent|plan]",
  ]);
  expect(chat.settings.mode).toBe("chat");
});

test("the search switch counts in chat mode alone, is left as it was by other modes, and comes back with chat mode", async () => {
  const chat = await openTestChat({ mode: "chat" });
  expect(await chat.type("/search")).toEqual(["Web search: off"]);
  expect(await chat.type("/search ON")).toEqual(["Web search: on"]);
  expect(await chat.type("/search maybe")).toEqual(['"maybe" is not valid. Allowed: on, off.']);
  await chat.type("/mode agent");
  chat.settings.locale = "zh";
  expect(await chat.type("/search off")).toEqual(["Agent 模式下由 AI 自动决策搜索"]);
  expect(await chat.type("/mode chat")).toEqual(["已切换到 Chat 模式，对话历史已清除。", "联网搜索：开"]);
});

test("/lang changes what the chat says, by a list or by a word", async () => {
  const chat = await openTestChat({ picks: ["中文"] });
  expect(await chat.type("/lang")).toEqual(["界面语言：中文"]);
  expect(await chat.type("/clear")).toEqual(["对话历史已清除。"]);
  expect(await chat.type("/lang fr")).toEqual(['✗ 没有 "fr" 这种界面语言。可选：zh、en。']);
  expect(await chat.type("/lang en")).toEqual(["Language: English"]);
  expect(chat.settings).toMatchObject({ locale: "en" });
});
