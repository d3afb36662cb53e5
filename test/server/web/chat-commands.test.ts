import { expect, test } from "vitest";
import { readSettings } from "../../../src/server/web/chat/api/server-settings.ts";
import {
  describeUnknownCommand,
  isCommand,
  isKnownCommand,
  runCommand,
} from "../../../src/server/web/chat/state/chat-commands.ts";
import { addTurn, type ChatState, createChat, createTurn } from "../../../src/server/web/chat/state/chat-state.ts";

test("a line is a command where its first word is one; a path and a question are none", () => {
  expect(["/mode", "/MODE agent", "/help\n", "/"].map(isCommand)).toEqual([true, true, true, true]);
  expect(["/etc/hosts?", "what is /mode", "/2", "//", ""].map(isCommand)).toEqual([false, false, false, false, false]);
});

test("通过命令切换模式: /mode switches as the selector does, and says so", () => {
  const chat = runCommand(chatWithTurn("chat"), "/mode Agent");
  expect(chat).toMatchObject({ choices: { mode: "agent" }, turns: {}, conversationId: undefined });
  expect(notesOf(chat)).toEqual(["已切换到 Agent 模式，对话历史已清除。"]);
  expect(notesOf(runCommand(chat, "/mode agent")).at(-1)).toBe("已经是 Agent 模式，没有改变。");
  const asked = runCommand(chat, "/mode x");
  expect(asked.choices.mode).toBe("agent");
  expect(notesOf(asked).at(-1)).toContain("/mode plan");
});

test("查看当前模式: /config tells the mode and the limits that count in it, the models and their parameters", () => {
  const agent = notesOf(runCommand(chatWithTurn("agent"), "/config")).join("\n");
  for (const words of ["模式：Agent 模式", "最大迭代次数：5", "工具调用模型：a/one", "temperature 0.7"])
    expect(agent).toContain(words);
  expect(notesOf(runCommand(chatWithTurn("chat"), "/config")).join("\n")).not.toContain("最大迭代次数");
});

test("帮助命令更新: /help says what sets the modes apart and how to switch", () => {
  const help = notesOf(runCommand(chatWithTurn("chat"), "/help")).join("\n");
  for (const words of ["常规对话,可手动启用联网搜索", "智能助手,自动决策是否需要联网搜索", "/mode chat|agent|plan"])
    expect(help).toContain(words);
});

test("/search moves the switch in chat mode alone; /clear begins anew", () => {
  const on = runCommand(chatWithTurn("chat"), "/search on");
  expect(on.choices.search).toBe(true);
  expect(notesOf(runCommand(on, "/search")).at(-1)).toContain("联网搜索：开");
  const chat = chatWithTurn("chat");
  const settings = readSettings({ search: { available: false, reason: "no_service" } });
  expect(notesOf(runCommand({ ...chat, settings }, "/search on")).at(-1)).toContain("没有可用的搜索服务");
  const agent = runCommand(chatWithTurn("agent"), "/search on");
  expect(agent.choices.search).toBe(false);
  expect(notesOf(agent)).toEqual(["Agent 模式下由 AI 自动决策搜索"]);
  expect(runCommand(chatWithTurn("chat"), "/clear")).toMatchObject({ turns: {}, conversationId: undefined });
});

test("a line that begins with a slash and is no command changes nothing, and is told so before it is sent as a question", () => {
  for (const line of ["/save x", "/constructor", "/", "/tmp is full on my server"]) {
    const chat = chatWithTurn("chat");
    expect(isKnownCommand(line)).toBe(false);
    expect(runCommand(chat, line)).toBe(chat);
    expect(describeUnknownCommand(line).en).toContain(
      `${line.split(" ")[0]} is not a command of this page (available: /mode, /search, /config, /clear, /help)`,
    );
  }
  expect(["/mode", "/HELP", "/mode x"].map(isKnownCommand)).toEqual([true, true, true]);
});

function chatWithTurn(mode: "chat" | "agent"): ChatState {
  const settings = readSettings({
    models: { function_call: "a/one", answer: "a/one" },
    parameters: { function_call: { temperature: 0.7 }, answer: {} },
    search: { available: true, enabled: false },
    limits: { max_iterations: 5, max_tool_calls: 6, timeout_s: 60 },
  });
  const chat = createChat({ mode, search: false, models: {}, parameters: {} });
  return addTurn({ ...chat, settings, conversationId: "conv-1" }, createTurn("one", "Well?"));
}

function notesOf({ items }: ChatState): string[] {
  return items.flatMap((item) => (item.kind === "note" ? [item.text.zh] : []));
}

test("a question that begins as a command does is not taken for one, and nothing of it is thrown away", () => {
  for (const line of ["/help me with this", "/clear the table\nplease", "/mode agent or plan?"]) {
    const chat = chatWithTurn("chat");
    expect(runCommand(chat, line)).toBe(chat);
    expect(describeUnknownCommand(line).en).toMatch(/^The command is written \/.* Press Enter again/);
  }
});
